"""What a fork, a merge or another edit will do, shown and changed by the user before it is accepted."""
