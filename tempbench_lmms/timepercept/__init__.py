"""TimePerceptBench: order and intervals of dated satellite images."""
