"""The parts of a report, a file each: from what was read of a run to lines, tables and charts."""
