"""The index by which commands find an instance's open user tasks is made anew, after all the others of open ones.

Of several partial indexes with one condition PostgreSQL takes the newest while the table is empty, because then all
cost the same; and it keeps that plan until the table is analysed.
"""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("bpm", "0008_cockpit_indexes")]

    operations = [
        migrations.RemoveConstraint(model_name="usertask", name="bpm_user_one_open"),
        migrations.AddConstraint(
            model_name="usertask",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status", "OPEN")), fields=("instance", "token"), name="bpm_user_one_open"
            ),
        ),
    ]
