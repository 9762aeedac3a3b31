"""Reports: what a run's episodes come to, as numbers with intervals, in several formats."""
