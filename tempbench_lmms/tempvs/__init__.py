"""TempVS: order of events in image sequences, gated by grounding tests."""
