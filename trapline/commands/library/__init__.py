"""The commands ``trapline library ...``.

==========  =========================================
backup.py   ``backup`` and ``restore``
fill.py     ``init``, ``add`` and ``import``
train.py    ``train``: learn which moves are killers
verify.py   ``verify``: prove every trap again
view.py     ``list``, ``show`` and ``export``
==========  =========================================
"""

from trapline.lazy_group import lazy_application

library = lazy_application(
    "Fill, show and check the trap library.",
    {
        "init": "trapline.commands.library.fill:init",
        "add": "trapline.commands.library.fill:add",
        "import": "trapline.commands.library.fill:import_",
        "list": "trapline.commands.library.view:list_",
        "show": "trapline.commands.library.view:show",
        "export": "trapline.commands.library.view:export",
        "verify": "trapline.commands.library.verify:verify",
        "train": "trapline.commands.library.train:train",
        "backup": "trapline.commands.library.backup:backup",
        "restore": "trapline.commands.library.backup:restore",
    },
)
