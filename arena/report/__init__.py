"""Reports: a static site with the standings, plots and replays of a run."""
