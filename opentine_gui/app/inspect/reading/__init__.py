"""Reading recorded values without a window: what is on the page, where it is scrolled to, what is selected."""
