"""Trajectories of benchmark agents: SWE-agent, mini-swe-agent, Harbor's ATIF, plain lists of messages."""
