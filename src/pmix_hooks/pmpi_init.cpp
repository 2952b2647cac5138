// From MPI_Init to MPI_Finalize. A failed or repeated MPI_Init starts nothing.
#include "pmix_hooks/mpi_library.hpp"
#include "pmix_hooks/recorder.hpp"

using commmap::hooks::recorder;

extern "C" int MPI_Init(int* argc, char*** argv) {
    const int status = PMPI(Init)(argc, argv);
    if (status == MPI_SUCCESS) recorder.start();
    return status;
}

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    const int status = PMPI(Init_thread)(argc, argv, required, provided);
    if (status == MPI_SUCCESS) recorder.start();
    return status;
}

extern "C" int MPI_Finalize() {
    recorder.finish();
    return PMPI(Finalize)();
}
