// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// A stand-in for libpmix.so.2, the server behind it, and the MPI library that uses it: no machine
// here runs 128 ranks of 131,072.
#include "standin_pmix.hpp"

#include <pmix.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

namespace {

int own_rank = 0;

StandInServer* shared() {
    void* const memory = ::mmap(nullptr, sizeof(StandInServer), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : new (memory) StandInServer;
}
StandInServer& server = *shared();

struct Locked {
    Locked() { ::pthread_mutex_lock(&server.lock); }
    ~Locked() { ::pthread_mutex_unlock(&server.lock); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
};

bool begins(const char* key, const char* word) {
    return std::strncmp(key, word, std::strlen(word)) == 0;
}

pmix_value_t* value_of(pmix_data_type_t type) {
    auto* value = static_cast<pmix_value_t*>(std::calloc(1, sizeof(pmix_value_t)));
    value->type = type;
    return value;
}

/// What a process is told when it starts.
pmix_value_t* of_the_job(const char* key) {
    if (std::strcmp(key, PMIX_LOCAL_SIZE) == 0) {
        pmix_value_t* const value = value_of(PMIX_UINT32);
        value->data.uint32 = static_cast<std::uint32_t>(server.on_node);
        return value;
    }
    if (std::strcmp(key, PMIX_LOCAL_PEERS) != 0) return nullptr;
    std::string peers;
    for (int rank = 0; rank < server.on_node; ++rank)
        peers += (rank > 0 ? "," : "") + std::to_string(rank);
    pmix_value_t* const value = value_of(PMIX_STRING);
    value->data.string = ::strdup(peers.c_str());
    return value;
}

pmix_value_t* put_by(int rank, const char* key) {
    if (begins(key, "commmap.present.") || begins(key, "commmap.leaving.")) {
        if (server.lacks_recorder[static_cast<std::size_t>(rank)]) return nullptr;
        const bool leaves = begins(key, "commmap.leaving.");
        pmix_value_t* const value = value_of(leaves ? PMIX_BYTE_OBJECT : PMIX_BOOL);
        if (leaves) value->data.bo = {.bytes = ::strdup("\1"), .size = 1};
        return value;
    }
    for (const StandInServer::Told& told : server.told) {
        if (told.rank != rank || std::strcmp(told.key.data(), key) != 0) continue;
        pmix_value_t* const value = value_of(PMIX_UINT64);
        value->data.uint64 = told.value;
        return value;
    }
    return nullptr;
}

pmix_value_t* answer(int rank, const char* key, const pmix_info_t& how) {
    const Locked locked;  // a server answers one question after the other
    ++server.questions;
    if (server.answer_ns > 0) {
        const timespec time_of_answer{0, server.answer_ns};
        ::nanosleep(&time_of_answer, nullptr);
    }
    pmix_value_t* value = put_by(rank, key);
    if (std::strcmp(how.key, PMIX_TIMEOUT) != 0) return value;
    timespec limit{};
    ::clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += how.value.data.integer;
    while (value == nullptr &&
           ::pthread_cond_timedwait(&server.somebody_told, &server.lock, &limit) == 0)
        value = put_by(rank, key);
    return value;
}

}  // namespace

StandInServer& stand_in_server() { return server; }
void be_rank(int rank) { own_rank = rank; }

void StandInServer::begin(int ranks, int ranks_on_node, int at_fence) {
    pthread_mutexattr_t of_lock;
    ::pthread_mutexattr_init(&of_lock);
    ::pthread_mutexattr_setpshared(&of_lock, PTHREAD_PROCESS_SHARED);
    ::pthread_mutex_init(&lock, &of_lock);
    pthread_condattr_t of_wait;
    ::pthread_condattr_init(&of_wait);
    ::pthread_condattr_setpshared(&of_wait, PTHREAD_PROCESS_SHARED);
    ::pthread_cond_init(&somebody_told, &of_wait);
    pthread_barrierattr_t of_fence;
    ::pthread_barrierattr_init(&of_fence);
    ::pthread_barrierattr_setpshared(&of_fence, PTHREAD_PROCESS_SHARED);
    ::pthread_barrier_init(&fence, &of_fence, static_cast<unsigned>(at_fence));
    size = ranks;
    on_node = ranks_on_node;
    answer_ns = 0;
    questions = 0;
    lacks_recorder.fill(false);
    told.fill({});
}

extern "C" {

int PMIx_Initialized() { return 1; }
pmix_status_t PMIx_Init(pmix_proc_t* self, pmix_info_t*, size_t) {
    std::memset(self, 0, sizeof *self);
    std::strcpy(self->nspace, "stand-in");
    self->rank = static_cast<pmix_rank_t>(own_rank);
    return PMIX_SUCCESS;
}
pmix_status_t PMIx_Finalize(const pmix_info_t*, size_t) { return PMIX_SUCCESS; }

pmix_status_t PMIx_Get(const pmix_proc_t* of, const char* key, const pmix_info_t* info,
                       size_t num_info, pmix_value_t** value) {
    const bool asks_nobody =
        num_info > 0 && std::strcmp(info[0].key, PMIX_OPTIONAL) == 0;  // NOLINT: an array of one
    if (of->rank == PMIX_RANK_WILDCARD)
        *value = of_the_job(key);
    else if (asks_nobody)
        *value = nullptr;
    else
        *value = answer(static_cast<int>(of->rank), key, info[0]);
    return *value == nullptr ? PMIX_ERR_NOT_FOUND : PMIX_SUCCESS;
}

pmix_status_t PMIx_Put(pmix_scope_t, const char* key, pmix_value_t* value) {
    const Locked locked;
    if (value->type != PMIX_UINT64) return PMIX_SUCCESS;
    const auto free_one =
        std::find_if(server.told.begin(), server.told.end(),
                     [](const StandInServer::Told& told) { return told.rank < 0; });
    if (free_one == server.told.end()) return PMIX_ERROR;
    free_one->rank = own_rank;
    std::snprintf(free_one->key.data(), free_one->key.size(), "%s", key);
    free_one->value = value->data.uint64;
    return PMIX_SUCCESS;
}
pmix_status_t PMIx_Commit() {
    const Locked locked;
    ::pthread_cond_broadcast(&server.somebody_told);
    return PMIX_SUCCESS;
}

pmix_status_t PMIx_Fence_nb(const pmix_proc_t*, size_t, const pmix_info_t*, size_t,
                            pmix_op_cbfunc_t done, void* data) {
    ::pthread_barrier_wait(&server.fence);
    done(PMIX_SUCCESS, data);
    return PMIX_SUCCESS;
}

// MPI, as far as a rank needs it that is recorded and sends nothing. Its handles are Open MPI's.
char ompi_mpi_comm_world[512];
char ompi_mpi_comm_self[512];
char ompi_mpi_comm_null[512];
char group_of_world[512];

/// Exchanges all keys, as Open MPI does.
int MPI_Init(int*, char***) {
    pmix_info_t collect;
    std::memset(&collect, 0, sizeof collect);
    std::strcpy(collect.key, PMIX_COLLECT_DATA);
    collect.value.type = PMIX_BOOL;
    collect.value.data.flag = true;
    const auto ignore = [](pmix_status_t, void*) {};
    return PMIx_Commit() == PMIX_SUCCESS &&
                   PMIx_Fence_nb(nullptr, 0, &collect, 1, ignore, nullptr) == PMIX_SUCCESS
               ? 0
               : 1;
}
int MPI_Finalize() { return 0; }
int PMPI_Comm_rank(void*, int* rank) {
    *rank = own_rank;
    return 0;
}
int PMPI_Comm_size(void*, int* size) {
    *size = server.size;
    return 0;
}
int PMPI_Comm_get_parent(void** parent) {
    *parent = ompi_mpi_comm_null;
    return 0;
}
int PMPI_Comm_group(void*, void** group) {
    *group = group_of_world;
    return 0;
}
int PMPI_Group_free(void** group) {
    *group = nullptr;
    return 0;
}
int PMPI_Comm_create_keyval(void*, void*, int* keyval, void*) {
    *keyval = 1;
    return 0;
}
int PMPI_Win_create_keyval(void*, void*, int* keyval, void*) {
    *keyval = 2;
    return 0;
}
int PMPI_Iprobe(int, int, void*, int* flag, void*) {
    *flag = 0;
    return 0;
}
}
