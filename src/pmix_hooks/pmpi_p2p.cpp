// Point-to-point sends: every message to a rank is counted once, when MPI has taken it.
#include "pmix_hooks/call.hpp"
#include "pmix_hooks/type_size.hpp"

using commmap::hooks::data_bytes;
using commmap::hooks::recorded;
using commmap::hooks::recorder;

#define COMMMAP_SEND(name)                                                                       \
    extern "C" int MPI_##name(const void* buffer, int count, MPI_Datatype type, int destination, \
                              int tag, MPI_Comm comm) {                                          \
        return recorded([&] { return PMPI(name)(buffer, count, type, destination, tag, comm); }, \
                        [&] { recorder.sent(comm, destination, data_bytes(count, type)); });     \
    }

#define COMMMAP_NONBLOCKING_SEND(name)                                                           \
    extern "C" int MPI_##name(const void* buffer, int count, MPI_Datatype type, int destination, \
                              int tag, MPI_Comm comm, MPI_Request* request) {                    \
        return recorded(                                                                         \
            [&] { return PMPI(name)(buffer, count, type, destination, tag, comm, request); },    \
            [&] { recorder.sent(comm, destination, data_bytes(count, type)); });                 \
    }

// The type may be freed before the request is started: its size is taken now.
#define COMMMAP_PERSISTENT_SEND(name)                                                            \
    extern "C" int MPI_##name(const void* buffer, int count, MPI_Datatype type, int destination, \
                              int tag, MPI_Comm comm, MPI_Request* request) {                    \
        return recorded(                                                                         \
            [&] { return PMPI(name)(buffer, count, type, destination, tag, comm, request); },    \
            [&] {                                                                                \
                recorder.persistent_send_made(*request, comm, destination,                       \
                                              data_bytes(count, type));                          \
            });                                                                                  \
    }

COMMMAP_SEND(Send)
COMMMAP_SEND(Bsend)
COMMMAP_SEND(Ssend)
COMMMAP_SEND(Rsend)
COMMMAP_NONBLOCKING_SEND(Isend)
COMMMAP_NONBLOCKING_SEND(Ibsend)
COMMMAP_NONBLOCKING_SEND(Issend)
COMMMAP_NONBLOCKING_SEND(Irsend)
COMMMAP_PERSISTENT_SEND(Send_init)
COMMMAP_PERSISTENT_SEND(Bsend_init)
COMMMAP_PERSISTENT_SEND(Ssend_init)
COMMMAP_PERSISTENT_SEND(Rsend_init)

extern "C" int MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int source, int tag,
                             MPI_Comm comm, MPI_Request* request) {
    // The handle may have been a send's that was freed past MPI_Request_free.
    return recorded(
        [&] { return PMPI(Recv_init)(buffer, count, type, source, tag, comm, request); },
        [&] { recorder.request_gone(*request); });
}

extern "C" int MPI_Start(MPI_Request* request) {
    return recorded([&] { return PMPI(Start)(request); },
                    [&] { recorder.request_started(*request); });
}

extern "C" int MPI_Startall(int count, MPI_Request requests[]) {
    return recorded([&] { return PMPI(Startall)(count, requests); },
                    [&] {
                        for (int i = 0; i < count; ++i) recorder.request_started(requests[i]);
                    });
}

extern "C" int MPI_Request_free(MPI_Request* request) {
    const MPI_Request freed = request == nullptr ? nullptr : *request;
    // Forgotten before it is freed: another thread may get the same handle for a new request at
    // once.
    if (recorder.recording()) recorder.request_gone(freed);
    return recorded([&] { return PMPI(Request_free)(request); }, [] {});
}

extern "C" int MPI_Sendrecv(const void* send_buffer, int send_count, MPI_Datatype send_type,
                            int destination, int send_tag, void* receive_buffer, int receive_count,
                            MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm comm,
                            MPI_Status* status) {
    return recorded(
        [&] {
            return PMPI(Sendrecv)(send_buffer, send_count, send_type, destination, send_tag,
                                  receive_buffer, receive_count, receive_type, source, receive_tag,
                                  comm, status);
        },
        [&] { recorder.sent(comm, destination, data_bytes(send_count, send_type)); });
}

extern "C" int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int destination,
                                    int send_tag, int source, int receive_tag, MPI_Comm comm,
                                    MPI_Status* status) {
    return recorded(
        [&] {
            return PMPI(Sendrecv_replace)(buffer, count, type, destination, send_tag, source,
                                          receive_tag, comm, status);
        },
        [&] { recorder.sent(comm, destination, data_bytes(count, type)); });
}
