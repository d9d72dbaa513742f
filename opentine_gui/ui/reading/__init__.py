"""Reading what was recorded: a view of any value, with selection and copying."""
