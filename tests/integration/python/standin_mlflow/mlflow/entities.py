"""What a stand-in for MLflow is given."""

import dataclasses


@dataclasses.dataclass
class Metric:
    key: str
    value: float
    timestamp: int
    step: int
