"""Sample reports, and validators for the report formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
import xmlschema
from hypothesis import strategies as st

from fingerpost.audit.reports import plain_json
from tests.support.audit_events import reports
from tests.support.paths import DATA

SCHEMAS = DATA / "schemas"
AUDIT = json.loads((Path(plain_json.__file__).parent / "audit.schema.json").read_text())
IS_AUDIT = jsonschema_rs.validator_for(AUDIT)
IS_SARIF: Any = jsonschema.Draft4Validator(json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text()))
IS_JUNIT = xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd")
REPORTS = reports()
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0"

every_report = pytest.mark.parametrize("name", REPORTS)
any_text = st.text(st.characters(codec=None, exclude_categories=()) | st.sampled_from("`|@#<&]:%{}'\"\\\n\r\0\ud800"))


def strictly(text: str) -> Any:
    """Parse strict JSON: no NaN, and valid UTF-8."""

    def refuse(constant: str) -> Any:
        raise ValueError(constant)

    return json.loads(text.encode().decode(), parse_constant=refuse)
