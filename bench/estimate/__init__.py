"""scripts/bench estimate: predicted ratios of placements beside measured ones (docs/prediction.md)."""
