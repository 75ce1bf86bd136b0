"""The shop's first table."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """Create `Order`."""

    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name="Order",
            fields=[
                ("id", models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.CharField(max_length=20, unique=True)),
                ("instance", models.UUIDField(null=True)),
                ("confirmed", models.BooleanField(default=False)),
            ],
        ),
    ]
