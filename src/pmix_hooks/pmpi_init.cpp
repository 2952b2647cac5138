// From MPI_Init on; the end is told by MPI (Recorder::after_init()). A failed or repeated MPI_Init
// starts nothing.
#include "pmix_hooks/mpi_library.hpp"
#include "pmix_hooks/recorder.hpp"

using commmap::hooks::recorder;

extern "C" int MPI_Init(int* argc, char*** argv) {
    recorder.before_init();
    const int status = PMPI(Init)(argc, argv);
    recorder.after_init(status == MPI_SUCCESS);
    return status;
}

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    recorder.before_init();
    const int status = PMPI(Init_thread)(argc, argv, required, provided);
    recorder.after_init(status == MPI_SUCCESS);
    return status;
}

extern "C" int MPI_Finalize() {
    recorder.finish_if_mpi_will_not();
    return PMPI(Finalize)();
}
