"""Models with forms of every kind."""

from __future__ import annotations

import json

from tests.api.definitions import END, START, bpmn, line

FORM_DATA = """<extensionElements><camunda:formData>
<camunda:formField id="amount" label="Amount" type="long"><camunda:validation>
<camunda:constraint name="required"/><camunda:constraint name="min" config="1"/>
<camunda:constraint name="max" config="9007199254740993"/></camunda:validation></camunda:formField>
<camunda:formField id="reason" label="Reason" type="string" defaultValue="${wish}"><camunda:validation>
<camunda:constraint name="maxlength" config="20"/></camunda:validation></camunda:formField>
<camunda:formField id="kind" label="Kind" type="enum" defaultValue="b">
<camunda:value id="a" name="First"/><camunda:value id="b" name="Second"/></camunda:formField>
<camunda:formField id="paid" label="Paid" type="boolean" defaultValue="true"/>
<camunda:formField id="day" label="Day" type="date" defaultValue="24/12/2026" datePattern="dd/MM/yyyy"/>
<camunda:formField id="number" label="Number" type="string"><camunda:validation>
<camunda:constraint name="readonly"/></camunda:validation></camunda:formField>
</camunda:formData></extensionElements>"""
START_FORM = """<extensionElements><camunda:formData businessKey="order">
<camunda:formField id="order" label="Order number" type="string"><camunda:validation>
<camunda:constraint name="required"/></camunda:validation></camunda:formField>
<camunda:formField id="wish" label="Wish" type="string"/>
</camunda:formData></extensionElements>"""

ORDER = bpmn(
    "order",
    f'<startEvent id="start">{START_FORM}</startEvent>'
    f'<userTask id="check" name="Check order" camunda:candidateUsers="ann,bob">'
    f"<documentation>Look closely.</documentation>{FORM_DATA}</userTask>"
    '<userTask id="ship" name="Ship order" camunda:candidateGroups="shippers"/>'
    + END
    + line("start", "check", "ship", "end"),
)
FREE = bpmn(
    "free",
    START + '<userTask id="do" name="Do it" camunda:assignee="ann"/>' + END + line("start", "do", "end"),
)
FORM_JSON = {
    "id": "invoice",
    "type": "default",
    "components": [
        {"type": "text", "text": "Look at the invoice."},
        {
            "type": "select",
            "key": "decision",
            "label": "Decision",
            "values": [{"label": "Yes", "value": "yes"}, {"label": "No", "value": "no"}],
            "validate": {"required": True},
        },
        {
            "type": "textarea",
            "key": "why",
            "label": "Why not",
            "conditional": {"hide": '=decision != "no"'},
            "validate": {"required": True, "minLength": 3},
        },
        {
            "type": "number",
            "key": "order.total",
            "label": "Total",
            "decimalDigits": 2,
            "validate": {"min": 0},
        },
        {
            "type": "group",
            "label": "Contact",
            "path": "order",
            "components": [
                {"type": "textfield", "key": "mail", "label": "Mail", "validate": {"validationType": "email"}}
            ],
        },
        {"type": "checklist", "key": "tags", "label": "Tags", "valuesKey": "known_tags"},
        {"type": "datetime", "key": "at", "subtype": "datetime", "dateLabel": "When"},
        {"type": "textfield", "key": "code", "label": "Code", "validate": {"pattern": "^[A-Z]{3}$"}},
        {"type": "filepicker", "key": "file", "label": "File"},
        {"type": "button", "label": "Submit"},
    ],
}
INVOICE_FORM = json.dumps(FORM_JSON).encode()
INVOICE = bpmn(
    "invoice",
    START
    + '<userTask id="decide" name="Decide" camunda:assignee="ann" camunda:formRef="invoice"/>'
    + END
    + line("start", "decide", "end"),
)
