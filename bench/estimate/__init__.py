"""scripts/bench estimate: predicted ratios of placements beside measured ones (docs/developer/prediction.md)."""
