"""What things are called: titles of steps, numbers, payload text, words for comparisons. Text only, no drawing."""
