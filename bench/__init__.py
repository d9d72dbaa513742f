"""What the application costs, measured against the real `opentine` package in the same run; `make bench`."""
