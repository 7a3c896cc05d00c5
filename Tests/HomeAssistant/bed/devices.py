"""The simulated devices around the gateway, as a scenario."""
SCENARIO = {"devices": []}
