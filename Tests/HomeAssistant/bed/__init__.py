"""What the checks run against: processes of their own on loopback and private sockets."""
