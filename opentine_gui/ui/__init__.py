"""The window. Dear PyGui lives in this room and in no other: views read the session, show it, and send actions back."""
