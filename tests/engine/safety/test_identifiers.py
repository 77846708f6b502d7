"""Ids and addresses are repeated to the caller who sent them; what may be a secret is not."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit, render
from fingerpost.engine.safety.identifiers import is_own_id
from fingerpost.engine.safety.redact import is_harmless

UUID = "550e8400-e29b-41d4-a716-446655440000"
COMMIT = "9fceb02d0ae598e95dc970b74767f19372d61af8"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("task_id", UUID),
        ("taskId", UUID.upper()),
        ("user_ids", UUID),
        ("owner.id", UUID),
        ("sha", COMMIT),
        ("commit", COMMIT[:12]),
        ("objectID", "507f1f77bcf86cd799439011"),
        ("id", "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        ("channel_id", "112233445566778899"),
        ("email", "a1b2c3d4e5f6@example.com"),
        ("ip", "2001:db8:85a3:8d3:1319:8a2e:370:7348"),
        ("mac", "00:1b:44:11:3a:b7"),
        ("url", f"https://example.com/tasks/{UUID}"),
        ("resource_uri", f"db://tasks/{UUID}?view=full"),
    ],
)
def test_an_id_or_address_under_its_name_may_be_repeated(key: str, value: str) -> None:
    assert is_own_id(value, key)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("note", UUID),
        ("session_id", UUID),
        ("api_key_id", UUID),
        ("token_id", UUID),
        ("credentials.id", UUID),
        ("id", f"use {UUID} here"),
        ("id", "sk-abcdefabcdef1234"),
        ("id", "AKIAIOSFODNN7EXAMPLE"),
        ("id", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
        ("id", "eyJhbGciOiJIUzI1NiJ9.e30.abcdefghijkl"),
        ("id", "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5"),
        ("user_id", "4111111111111111"),
        ("url", "https://ada:hunter2@example.com/x"),
        ("url", f"https://example.com/x?token={COMMIT}"),
        ("url", "https://hooks.example.com/services/T00/B00/XXa8s7d6f5g4H3j2k1lQ9w8E"),
        ("id", UUID * 20),
        ("id", 7),
    ],
)
def test_what_may_be_a_secret_is_not_repeated(key: str, value: Any) -> None:
    assert not is_own_id(value, key)


NEEDED = (
    ("vin", "1HGCM82633A004352"), ("vehicle_vin", "WVWZZZ1JZXW000001"), ("isbn", "9780306406157"),
    ("isbn", "978-0-306-40615-7"), ("imei", "490154203237518"), ("iban", "DE89370400440532013000"),
    ("iban", "GB82WEST12345698765432"), ("sku", "AB12-CD34-EF56-GH78"), ("product_sku", "TSHIRT-L-RED-0012X9"),
    ("ean", "4006381333931"), ("upc", "036000291452"), ("gtin", "00012345600012"),
    ("tracking_number", "1Z999AA10123456784"), ("trackingNumber", "9400111899223197428490"),
    ("order_number", "ORD-2024-A1B2C3D4E5"), ("orderNumber", "112-3456789-1234567"),
    ("invoice_number", "INV-20240105-00042-X7"), ("commit", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
    ("commit_hash", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
    ("git_ref", "9fceb02d0ae598e95dc970b74767f19372d61af8"), ("sha", "9fceb02d"),
    ("event_id", "01ARZ3NDEKTSV4RRFFQ69G5FAV"), ("id", "550e8400-e29b-41d4-a716-446655440000"),
    ("wallet_address", "0x742d35Cc6634C0532925a3b844Bc454e4438f44e"),
    ("address", "0x742d35cc6634c0532925a3b844bc454e4438f44e"),
    ("tx_hash", "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"),
    ("s3_uri", "s3://my-bucket/2024/01/9fceb02d0ae598e95dc970b7.parquet"),
    ("uri", "s3://bucket/key-0a1b2c3d4e5f6a7b8c9d"), ("arn", "arn:aws:s3:::my-bucket"),
    ("role_arn", "arn:aws:iam::123456789012:role/MyRole1a2B3c"),
    ("arn", "arn:aws:lambda:us-east-1:123456789012:function:f-1A2B3C4D5E6F7"),
    ("digest", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
    ("image", "nginx@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
    ("file_hash", "d41d8cd98f00b204e9800998ecf8427e"), ("md5", "d41d8cd98f00b204e9800998ecf8427e"),
    ("sha256", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
    ("checksum", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
    ("project_code", "PRJ-2024-AB12CD34"), ("booking_ref", "X7K9QZ"), ("booking_reference", "XK7-9QZ-42L-A18"),
    ("customer_id", "cus_NffrFeUfNV2Hib"), ("serial_number", "C02XK0ZWJGH5"), ("serialNumber", "SN-4F8A-99C1-77E2"),
    ("part_number", "MPN-88A2-XZ19-01"), ("license_plate", "B-MW 1234"), ("container_id", "4f66ad9a0b2e"),
    ("doi", "10.1000/xyz123456789abc"), ("orcid", "0000-0002-1825-0097"), ("asin", "B08N5WRWNW"),
    ("flight_number", "LH1234"), ("account_number", "12345678901234567"), ("bic", "DEUTDEFF500"),
    ("swift", "DEUTDEFF500"), ("instance_id", "i-0abcd1234efgh5678"), ("vpc_id", "vpc-0a1b2c3d4e5f67890"),
    ("user_id", "auth0|5f7c8ec7c33c6c004bbafe82"), ("video_id", "dQw4w9WgXcQ"),
    ("channel_id", "UC_x5XG1OV2P6uZZ5FSM9Ttw"), ("spreadsheet_id", "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms"),
    ("objectId", "507f1f77bcf86cd799439011"), ("database_id", "d9824bdc84454327be8b5b47500af6ce"),
    ("country_code", "DE"), ("error_code", "E1001-X99-AB12-77"),
)  # fmt: skip
SECRET = (
    ("customer_id", "sk_NffrFeUfNV2Hib99"), ("file_id", "token-9x8Y7z6W5v4U"), ("user_id", "4111-1111-1111-1111"),
    ("note", "1HGCM82633A004352"), ("text", "550e8400-e29b-41d4-a716-446655440000"),
    ("verification_code", "A1B2C3D4E5F6"), ("otp_code", "482913"), ("auth_code", "4/0AX4XfWh9x8y7z6"),
    ("code", "4/0AX4XfWhABCdef123456"), ("invite_code", "A1B2C3D4E5F6G7H8"),
    ("session_id", "9fceb02d0ae598e95dc970b74767f19372d61af8"), ("api_key_id", "AKIAIOSFODNN7EXAMPLE"),
    ("id", "sk-abcdefabcdef1234"), ("id", "AKIAIOSFODNN7EXAMPLE"), ("id", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
    ("ref", "xoxb-123456789012-abcdefABCDEF"), ("number", "eyJhbGciOiJIUzI1NiJ9.e30.abcdefghijkl"),
    ("order_number", "sk_live_4eC39HqLyjWDarjtT1zdp7dc"),
    ("tracking_number", "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"),
    ("password_hash", "d41d8cd98f00b204e9800998ecf8427e"), ("token_hash", "d41d8cd98f00b204e9800998ecf8427e"),
    ("card_number", "4111111111111111"), ("cardNumber", "4111-1111-1111-1111"),
    ("credit_card_number", "378282246310005"), ("number", "4111111111111111"), ("ssn", "123-45-6789"),
    ("social_security_number", "123-45-6789-0000000"), ("passport_number", "C01X00T478Z9A1B2"),
    ("pin_number", "1234567890123456"), ("cvv_code", "123"), ("id", "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5"),
    ("license_number", "A1B2-C3D4-E5F6-G7H8"), ("license_code", "A1B2-C3D4-E5F6-G7H8"),
    ("hash", "$2b$12$abcdefghijklmnopqrstuv"), ("reset_code", "A1B2C3D4E5F6G7"),
    ("private_key_ref", "9fceb02d0ae598e95dc970b7"), ("commit", "use 9fceb02d0ae598e95dc970b74767f19372d61af8"),
    ("url", "https://hooks.slack.com/services/T0/B0/XXa8s7d6f5g4H3j2k1lQ9w8E"),
    ("ref", "AbCdEf123456GhIjKl789012MnOpQr345678"), ("security_code", "A1B2C3D4E5F6G7"),
    ("hmac_sha", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
    ("signature_hash", "9f86d081884c7d659a2feaa0c55ad015"), ("voucher_code", "A1B2C3D4E5F6G7H8"),
    ("gift_card_code", "A1B2-C3D4-E5F6-G7H8"), ("backup_code", "A1B2C3D4E5F6G7"), ("access_code", "1HGCM82633A004352"),
    ("seed_hash", "9f86d081884c7d659a2feaa0c55ad015"),
    ("wallet", "5Kb8kLf9zgWQnogidDA76MzPL6TsZZY36hWXMssSzNydYXYB9KF"),
)  # fmt: skip


@pytest.mark.parametrize(("key", "value"), NEEDED)
def test_well_known_kinds_of_ids_are_shown(key: str, value: str) -> None:
    assert is_harmless(value, key) or is_own_id(value, key)


@pytest.mark.parametrize(("key", "value"), SECRET)
def test_what_opens_something_or_looks_like_a_token_is_not_shown(key: str, value: str) -> None:
    assert not is_harmless(value, key)
    assert not is_own_id(value, key)


def test_an_empty_name_or_value_is_no_id() -> None:
    assert not is_own_id("", "number")
    assert not is_own_id("1HGCM82633A004352", "")


def listed(**properties: Any) -> Catalog:
    schema = {"type": "object", "properties": properties, "required": ["task_id", "title"]}
    return Catalog.listed([{"name": "rename_task", "inputSchema": schema}])


def test_the_corrected_call_repeats_the_id_that_the_caller_sent() -> None:
    catalog = listed(task_id={"type": "string"}, title={"type": "string"})
    envelope = render(admit(Call("rename_task", {"task_id": UUID}), catalog).report)
    assert f'Fill in: rename_task(task_id: "{UUID}", title: <string>)' in envelope.text
    assert envelope.structured["error"]["corrected_call"]["arguments"]["task_id"] == UUID


def test_the_corrected_call_repeats_a_vin() -> None:
    properties = {"vin": {"type": "string"}, "limit": {"type": "integer"}}
    catalog = Catalog.listed([{"name": "find_car", "inputSchema": {"type": "object", "properties": properties}}])
    verdict = admit(Call("find_car", {"vin": "1HGCM82633A004352", "limt": "many"}), catalog)
    assert 'vin: "1HGCM82633A004352"' in render(verdict.report).text


@pytest.mark.parametrize("mark", [{"writeOnly": True}, {"format": "password"}])
def test_an_id_that_the_schema_declares_secret_is_not_repeated(mark: dict[str, Any]) -> None:
    catalog = listed(task_id={"type": "string", **mark}, title={"type": "string"})
    assert UUID not in str(render(admit(Call("rename_task", {"task_id": UUID}), catalog).report))


def test_a_value_sent_under_the_name_of_a_secret_is_not_repeated_under_another() -> None:
    from fingerpost.engine.render.corrected_call import SentCall, present_call

    sent = Call("rename_task", {"token": UUID})
    assert present_call(Call("rename_task", {"task_id": sent.arguments["token"]}), SentCall(sent)).text == (
        "rename_task(task_id: <as sent>)"
    )
