// Calls that move no message of their own but take time: receives, probes, completions.
#include "pmix_hooks/call.hpp"

COMMMAP_TIMED(Recv,
              (void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Status* status),
              (buffer, count, type, source, tag, comm, status))
COMMMAP_TIMED(Irecv,
              (void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request* request),
              (buffer, count, type, source, tag, comm, request))
COMMMAP_TIMED(Mrecv,
              (void* buffer, int count, MPI_Datatype type, MPI_Message* message,
               MPI_Status* status),
              (buffer, count, type, message, status))
COMMMAP_TIMED(Imrecv,
              (void* buffer, int count, MPI_Datatype type, MPI_Message* message,
               MPI_Request* request),
              (buffer, count, type, message, request))

COMMMAP_TIMED(Probe, (int source, int tag, MPI_Comm comm, MPI_Status* status),
              (source, tag, comm, status))
COMMMAP_TIMED(Iprobe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status),
              (source, tag, comm, flag, status))
COMMMAP_TIMED(Mprobe,
              (int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status),
              (source, tag, comm, message, status))
COMMMAP_TIMED(Improbe,
              (int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
               MPI_Status* status),
              (source, tag, comm, flag, message, status))

COMMMAP_TIMED(Wait, (MPI_Request * request, MPI_Status* status), (request, status))
COMMMAP_TIMED(Waitany, (int count, MPI_Request requests[], int* index, MPI_Status* status),
              (count, requests, index, status))
COMMMAP_TIMED(Waitall, (int count, MPI_Request requests[], MPI_Status* statuses),
              (count, requests, statuses))
COMMMAP_TIMED(Waitsome,
              (int count, MPI_Request requests[], int* num_done, int indices[],
               MPI_Status statuses[]),
              (count, requests, num_done, indices, statuses))

COMMMAP_TIMED(Test, (MPI_Request * request, int* flag, MPI_Status* status), (request, flag, status))
COMMMAP_TIMED(Testany,
              (int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status),
              (count, requests, index, flag, status))
COMMMAP_TIMED(Testall, (int count, MPI_Request requests[], int* flag, MPI_Status statuses[]),
              (count, requests, flag, statuses))
COMMMAP_TIMED(Testsome,
              (int count, MPI_Request requests[], int* num_done, int indices[],
               MPI_Status statuses[]),
              (count, requests, num_done, indices, statuses))
