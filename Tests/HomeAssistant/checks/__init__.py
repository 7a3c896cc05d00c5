"""What is demanded, each a function that takes the world and a function that notes what held."""
