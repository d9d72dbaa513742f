"""Actions that find something: steps with something notable about them, and what is typed."""
