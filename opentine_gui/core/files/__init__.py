"""A `.tine` file in and out: reading, writing, checking, storing."""
