"""The faults that the rule judge looks for, a file each; none is imported before there is something to judge."""
