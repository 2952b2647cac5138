# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What the Open MPI jobs here have in their environment."""

# pml ob1, chosen so that monitoring can be put before it: with "ob1" by name it is left out without a word
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_pml": "^ucx,cm", "OMPI_MCA_btl": "self,vader", "OMPI_MCA_osc": "^ucx"}


def monitored(path):
    """Each rank writes PATH.RANK.prof."""
    return {"OMPI_MCA_pml_monitoring_enable": "2", "OMPI_MCA_pml_monitoring_enable_output": "3", "OMPI_MCA_pml_monitoring_filename": str(path)}
