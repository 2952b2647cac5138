# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The table of the MPI calls that the recorder wraps, from which make_mpi_calls.py makes the wrappers.

A row has
- the call's name after MPI_;
- its parameters, whose types are in PARAMETERS;
- the note: C++ text, with the parameters' names, that runs once the call has succeeded. Without a note only the call's
  time is recorded;
- `around`: a function of special_wrappers.hpp or waiting_calls.hpp that surrounds the call;
- `in_fortran`: the parameters that Fortran has instead;
- `only`: a condition of the preprocessor, for calls that not every mpi.h has.
The text of `around` may hold
- {call}: the call;
- {number}: the call's MpiCall;
- {first}: the number of an array's first element;
- {call_filling_statuses}: the call as a function of the statuses to fill;
- {note}: the note as a function of `known`, a value that the surrounding function has found out;
- {look}: the look for a receive's message before that receive.
Forms with large counts (MPI_Send_c) are made from the other forms where mpi.h has them.
"""

from dataclasses import dataclass

# Maps a parameter's name to its C type, and to the form of the Fortran argument in a note. [] stands behind the name in C.
# "by value": the integer behind the pointer; "array", "output": the pointer, as in C; "before": handles that are read before
# the call, to which C has a pointer.
PARAMETERS = {
    # buffers
    "data": ("const void*", "buffer"), "send": ("const void*", "buffer"), "compare": ("const void*", "buffer"),
    "buffer": ("void*", "buffer"), "receive": ("void*", "buffer"), "result": ("void*", "buffer"),
    # lengths
    "count": ("int", "by value"), "send_count": ("int", "by value"), "receive_count": ("int", "by value"),
    "result_count": ("int", "by value"), "target_count": ("int", "by value"),
    "counts": ("const int[]", "array"), "send_counts": ("const int[]", "array"), "receive_counts": ("const int[]", "array"),
    "offsets": ("const int[]", "array"), "send_offsets": ("const int[]", "array"), "receive_offsets": ("const int[]", "array"),
    "send_addresses": ("const MPI_Aint[]", "array"), "receive_addresses": ("const MPI_Aint[]", "array"),
    "type": ("MPI_Datatype", "handle"), "send_type": ("MPI_Datatype", "handle"), "receive_type": ("MPI_Datatype", "handle"),
    "result_type": ("MPI_Datatype", "handle"), "target_type": ("MPI_Datatype", "handle"),
    "send_types": ("const MPI_Datatype[]", "handles"), "receive_types": ("const MPI_Datatype[]", "handles"),
    # ranks and the like
    "destination": ("int", "by value"), "source": ("int", "by value"), "root": ("int", "by value"), "target": ("int", "by value"),
    "tag": ("int", "by value"), "send_tag": ("int", "by value"), "receive_tag": ("int", "by value"),
    "color": ("int", "by value"), "key": ("int", "by value"), "split_type": ("int", "by value"), "high": ("int", "by value"),
    "local_leader": ("int", "by value"), "remote_leader": ("int", "by value"), "reorder": ("int", "by value"),
    "num_dims": ("int", "by value"), "dims": ("const int[]", "array"), "periods": ("const int[]", "array"),
    "remain": ("const int[]", "array"), "index": ("const int[]", "array"), "edges": ("const int[]", "array"),
    "num_nodes": ("int", "by value"), "nodes": ("const int[]", "array"), "degrees": ("const int[]", "array"),
    "targets": ("const int[]", "array"), "weights": ("const int[]", "array"), "in_degree": ("int", "by value"),
    "sources": ("const int[]", "array"), "source_weights": ("const int[]", "array"), "out_degree": ("int", "by value"),
    "destinations": ("const int[]", "array"), "destination_weights": ("const int[]", "array"),
    "partitions": ("int", "by value"), "partition_count": ("MPI_Count", "by value"),
    "displacement": ("MPI_Aint", "by value"), "assertion": ("int", "by value"), "lock_type": ("int", "by value"),
    "window_bytes": ("MPI_Aint", "by value"), "unit": ("int", "by value"),
    # files: nobody looks into the handle
    "file": ("MPI_File", "by value"), "file_out": ("MPI_File*", "output"), "offset": ("MPI_Offset", "by value"),
    # handles
    "op": ("MPI_Op", "handle"), "comm": ("MPI_Comm", "handle"), "local": ("MPI_Comm", "handle"), "bridge": ("MPI_Comm", "handle"),
    "group": ("MPI_Group", "handle"), "info": ("MPI_Info", "handle"), "win": ("MPI_Win", "handle"),
    "comm_out": ("MPI_Comm*", "handle output"), "win_out": ("MPI_Win*", "output"),
    "request": ("MPI_Request*", "handle output"), "requests": ("MPI_Request[]", "handles"),
    "pending": ("MPI_Request*", "before"), "all_pending": ("MPI_Request[]", "before"), "matched": ("MPI_Message*", "before"),
    "message": ("MPI_Message*", "handle output"), "session": ("MPI_Session*", "output"),
    # results, and what only C has
    "argc": ("int*", "output"), "argv": ("char***", "output"), "required": ("int", "by value"), "provided": ("int*", "output"),
    "status": ("MPI_Status*", "status"), "statuses": ("MPI_Status[]", "status"), "flag": ("int*", "output"),
    "which": ("int*", "output"), "num_done": ("int*", "output"), "indices": ("int[]", "output"),
}

MPI_4 = "MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5"


@dataclass
class Call:
    name: str
    parameters: list
    note: str
    around: str
    in_fortran: list
    only: str
    prefix: str

    @property
    def counts(self):
        """Whether it counts messages or a collective; else it begins or ends a receive, or a round."""
        return any(word in self.note for word in ("recorder.sent", "recorder.sending(", "recorder.message(", "recorder.put", "recorder.got", "count_"))


def call(name, parameters, note="", around="", in_fortran=None, only="", prefix="MPI_"):
    return Call(name, parameters.split(), note, around, (parameters if in_fortran is None else in_fortran).split(), only, prefix)


def at_each_start(note):
    return f"recorder.persistent(*request, [&] {{ {note}; }})"


def collective(name, parameters, note):
    """The blocking form, the nonblocking one and the persistent one, which is an extension in Open MPI 4."""
    persistent = parameters + " info request"
    at_start = at_each_start(note + "; recorder.joining(comm, nullptr)")
    return [call(name, parameters, note + "; recorder.joined(comm)"),
            call("I" + name.lower(), parameters + " request", note + "; recorder.joining(comm, request)"),
            call(name + "_init", persistent, at_start, only=MPI_4),
            call(name + "_init", persistent, at_start, only="defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)", prefix="MPIX_")]


def of_files():
    """What is asked for counts, not what the file has. Opening, views and deleting have text arguments, and are left alone."""
    calls = [call("File_close", "file_out"), call("File_sync", "file"), call("File_set_size", "file offset")]
    for verb, data in (("read", "buffer"), ("write", "data")):
        forms = [(at + together, f"file{' offset' if at else ''} {data} count type")
                 for at in ("", "_at") for together in ("", "_all")]
        forms += [("_shared", f"file {data} count type"), ("_ordered", f"file {data} count type")]
        for form, parameters in forms:
            name = f"File_{verb}{form}"
            moved = "recorder.file_moved(commmap::MpiCall::{}, data_bytes(count, type))"
            calls.append(call(name, parameters + " status", moved.format(name)))
            if form != "_ordered":
                nonblocking = f"File_i{verb}{form}"
                calls.append(call(nonblocking, parameters + " request", moved.format(nonblocking)))
            if form in ("_all", "_at_all", "_ordered"):
                calls.append(call(name + "_begin", parameters, moved.format(name + "_begin")))
                calls.append(call(name + "_end", f"file {data} status"))
    return calls


SEND = "data count type destination tag comm"
SENT = "recorder.sent(comm, destination, data_bytes(count, type))"
SENT_BLOCKING = "recorder.sent_blocking(comm, destination, data_bytes(count, type))"
SENDING = "recorder.sending(comm, destination, data_bytes(count, type), *request)"
BEGUN = "; recorder.request_begun(*request)"
RECEIVED = "received({number}, source, status, {call_filling_statuses}, {look}, {note})"
RECEIVING = "receiving({number}, {call}, {look}, {note})"
# The size of the type is taken now: the type may be freed before the request is started.
PERSISTENT = at_each_start("recorder.message(comm, destination, data_bytes(count, type))")
# Bytes by the send arguments; with MPI_IN_PLACE, by the receive arguments.
CONTRIBUTED = "contributed(send, send_count, send_type, receive_count, receive_type)"
CONTRIBUTED_V = "contributed(send, send_count, send_type, receive_counts, receive_type, comm)"
GATHER = "send send_count send_type receive receive_count receive_type"
GATHER_V = "send send_count send_type receive receive_counts offsets receive_type"
ALL_V = "send send_counts send_offsets send_type receive receive_counts receive_offsets receive_type"
REDUCE = "send receive count type op"
PUT = "data send_count send_type target displacement target_count target_type"
ARRANGED = "recorder.arranged(*comm_out)"
PUTS = "recorder.put(win, target, data_bytes(send_count, send_type))"
GET = "buffer receive_count receive_type target displacement target_count target_type"
GETS = "recorder.got(win, target, data_bytes(receive_count, receive_type))"
EXCHANGE = "data send_count send_type result result_count result_type target displacement target_count target_type"
EXCHANGES = ("put_for(op, win, target, data_bytes(send_count, send_type));"
             " recorder.got(win, target, data_bytes(result_count, result_type))")

CALLS = [
    call("Init", "argc argv", around="recorded_from_here({call})", in_fortran=""),
    call("Init_thread", "argc argv required provided", around="recorded_from_here({call})", in_fortran="required provided"),
    call("Finalize", "", around="recorded_until_here({call})"),
    call("Session_finalize", "session", around="after_session({call})", only=MPI_4),

    # Every message to a rank is counted once, when MPI has taken it.
    *[call(name, SEND, SENT_BLOCKING) for name in ("Send", "Rsend")],
    call("Bsend", SEND, SENT),
    call("Ssend", SEND, SENT + "; recorder.waited()"),
    *[call(name, SEND + " request", SENDING) for name in ("Isend", "Ibsend", "Issend", "Irsend")],
    *[call(name, SEND + " request", PERSISTENT) for name in ("Send_init", "Bsend_init", "Ssend_init", "Rsend_init")],
    call("Recv_init", "buffer count type source tag comm request", "recorder.persistent_receive(comm, source, *request)"),
    call("Isendrecv", "send send_count send_type destination send_tag receive receive_count receive_type source receive_tag comm request",
         "recorder.sent(comm, destination, data_bytes(send_count, send_type)); recorder.receiving(comm, source, *request)", RECEIVING, only=MPI_4),
    call("Isendrecv_replace", "buffer count type destination send_tag source receive_tag comm request",
         SENT + "; recorder.receiving(comm, source, *request)", RECEIVING, only=MPI_4),
    # All partitions count as one message, however many messages MPI makes of them.
    call("Psend_init", "data partitions partition_count type destination tag comm info request",
         at_each_start("recorder.message(comm, destination, data_bytes(partitions * partition_count, type))"), only=MPI_4),
    call("Precv_init", "buffer partitions partition_count type source tag comm info request",
         "recorder.persistent_receive(comm, source, *request)", only=MPI_4),
    call("Start", "request", "recorder.request_started(*request)"),
    call("Startall", "count requests", "for (int i = 0; i < count; ++i) recorder.request_started(requests[i])"),
    call("Request_free", "pending", around="without_request({number}, pending, true, {call})"),
    call("Cancel", "pending", around="without_request({number}, pending, false, {call})"),
    call("Sendrecv", "send send_count send_type destination send_tag receive receive_count receive_type source receive_tag comm status",
         "recorder.sent(comm, destination, data_bytes(send_count, send_type)); recorder.received(comm, known)", RECEIVED),
    call("Sendrecv_replace", "buffer count type destination send_tag source receive_tag comm status",
         SENT + "; recorder.received(comm, known)", RECEIVED),

    # Collectives: the payload comes from this rank's own arguments, never from those that are not significant here.
    *collective("Barrier", "comm", "count_rootless(comm, CollectiveOp::barrier, 0)"),
    *collective("Bcast", "buffer count type root comm", "count_from_root(comm, CollectiveOp::bcast, root, data_bytes(count, type))"),
    *collective("Reduce", REDUCE + " root comm", "count_to_root(comm, CollectiveOp::reduce, root, data_bytes(count, type))"),
    *collective("Allreduce", REDUCE + " comm", "count_rootless(comm, CollectiveOp::allreduce, data_bytes(count, type))"),
    *collective("Scan", REDUCE + " comm", "count_rootless(comm, CollectiveOp::scan, data_bytes(count, type))"),
    *collective("Exscan", REDUCE + " comm", "count_rootless(comm, CollectiveOp::exscan, data_bytes(count, type))"),
    *collective("Reduce_scatter", "send receive counts type op comm",
                "count_rootless(comm, CollectiveOp::reduce_scatter, data_bytes(sum_of(counts, comm), type))"),
    *collective("Reduce_scatter_block", REDUCE + " comm",
                "count_rootless(comm, CollectiveOp::reduce_scatter, data_bytes(count, type) * group_size(comm))"),
    *collective("Gather", GATHER + " root comm",
                f"count_to_root(comm, CollectiveOp::gather, root, on_root_side(root) ? 0 : {CONTRIBUTED})"),
    *collective("Gatherv", GATHER_V + " root comm", f"count_gatherv(comm, root, on_root_side(root) ? 0 : {CONTRIBUTED_V})"),
    # MPI_IN_PLACE stands for the receive side here, and only at the root.
    *collective("Scatter", GATHER + " root comm",
                "count_from_root(comm, CollectiveOp::scatter, root,"
                " in_place(receive) || root == MPI_ROOT ? data_bytes(send_count, send_type)"
                " : root == MPI_PROC_NULL ? 0 : data_bytes(receive_count, receive_type))"),
    *collective("Scatterv", "send send_counts offsets send_type receive receive_count receive_type root comm",
                "count_scatterv(comm, root, on_root_side(root) ? 0"
                " : in_place(receive) ? data_bytes(send_counts[own_rank(comm)], send_type)"
                " : data_bytes(receive_count, receive_type), {send_counts, send_type})"),
    *collective("Allgather", GATHER + " comm", f"count_rootless(comm, CollectiveOp::allgather, {CONTRIBUTED})"),
    # Counted as allgather with the mean length: every rank gets every contribution, whatever its length.
    *collective("Allgatherv", GATHER_V + " comm",
                f"count_rootless(comm, CollectiveOp::allgather, mean_{CONTRIBUTED_V})"),
    *collective("Alltoall", GATHER + " comm", f"count_rootless(comm, CollectiveOp::alltoall, {CONTRIBUTED})"),
    *collective("Alltoallv", ALL_V + " comm",
                "count_alltoallv(comm, in_place(send) ? Counts{receive_counts, receive_type} : Counts{send_counts, send_type})"),
    *collective("Alltoallw", "send send_counts send_offsets send_types receive receive_counts receive_offsets receive_types comm",
                "count_alltoallv(comm, in_place(send) ? Counts{receive_counts, receive_types} : Counts{send_counts, send_types})"),
    *collective("Neighbor_allgather", GATHER + " comm",
                "count_neighbours(comm, CollectiveOp::neighbor_allgather, data_bytes(send_count, send_type))"),
    *collective("Neighbor_allgatherv", GATHER_V + " comm",
                "count_neighbours(comm, CollectiveOp::neighbor_allgather, data_bytes(send_count, send_type))"),
    *collective("Neighbor_alltoall", GATHER + " comm",
                "count_neighbours(comm, CollectiveOp::neighbor_alltoall, data_bytes(send_count, send_type))"),
    *collective("Neighbor_alltoallv", ALL_V + " comm",
                "count_neighbours(comm, CollectiveOp::neighbor_alltoall, Counts{send_counts, send_type})"),
    *collective("Neighbor_alltoallw",
                "send send_counts send_addresses send_types receive receive_counts receive_addresses receive_types comm",
                "count_neighbours(comm, CollectiveOp::neighbor_alltoall, Counts{send_counts, send_types})"),

    # One-sided operations: each is a message to the target, a message from it, or one each way.
    call("Put", PUT + " win", PUTS),
    call("Rput", PUT + " win request", PUTS + BEGUN),
    call("Accumulate", PUT + " op win", PUTS),
    call("Raccumulate", PUT + " op win request", PUTS + BEGUN),
    call("Get", GET + " win", GETS),
    call("Rget", GET + " win request", GETS + BEGUN),
    call("Get_accumulate", EXCHANGE + " op win", EXCHANGES),
    call("Rget_accumulate", EXCHANGE + " op win request", EXCHANGES + BEGUN),
    call("Fetch_and_op", "data result type target displacement op win",
         "put_for(op, win, target, data_bytes(1, type)); recorder.got(win, target, data_bytes(1, type))"),
    # Two values go to the target: the new value, and the value for the comparison.
    call("Compare_and_swap", "data compare result type target displacement win",
         "recorder.put(win, target, data_bytes(2, type)); recorder.got(win, target, data_bytes(1, type))"),
    *[call(name, parameters) for name, parameters in (
        ("Win_create", "buffer window_bytes unit info comm win_out"), ("Win_allocate", "window_bytes unit info comm buffer win_out"),
        ("Win_create_dynamic", "info comm win_out"), ("Win_free", "win_out"), ("Win_start", "group assertion win"),
        ("Win_post", "group assertion win"), ("Win_wait", "win"), ("Win_test", "win flag"),
        ("Win_lock", "lock_type target assertion win"), ("Win_lock_all", "assertion win"))],
    call("Win_fence", "assertion win", "recorder.fence(win)"),
    # Calls that end an epoch of the origin: its data have arrived.
    *[call(name, parameters, "recorder.waited()") for name, parameters in (
        ("Win_complete", "win"), ("Win_unlock", "target win"), ("Win_unlock_all", "win"), ("Win_flush", "target win"),
        ("Win_flush_all", "win"), ("Win_flush_local", "target win"), ("Win_flush_local_all", "win"))],

    # Receives, probes and completions: they send no message, but take time and end rounds.
    call("Recv", "buffer count type source tag comm status",
         "recorder.received(comm, known)", RECEIVED),
    call("Irecv", "buffer count type source tag comm request", "recorder.receiving(comm, source, *request)", RECEIVING),
    call("Mrecv", "buffer count type matched status", around="received_message({number}, matched, {call})"),
    call("Imrecv", "buffer count type matched request", "recorder.message_received_by(known, *request)",
         "receiving_message({number}, matched, {call}, {note})"),
    call("Probe", "source tag comm status"),
    call("Iprobe", "source tag comm flag status"),
    call("Mprobe", "source tag comm message status", "recorder.matched(comm, sender(source, status), *message, true)"),
    call("Improbe", "source tag comm flag message status", "if (*flag != 0) recorder.matched(comm, sender(source, status), *message, false)"),
    call("Wait", "pending status", around="waited({number}, pending, nullptr, status, {call_filling_statuses})"),
    call("Waitany", "count all_pending which status",
         around="waited_for_any({number}, count, all_pending, which, {first}, status, {call_filling_statuses})"),
    call("Waitall", "count all_pending statuses",
         around="waited_for_all({number}, count, all_pending, nullptr, statuses, {call_filling_statuses})"),
    call("Waitsome", "count all_pending num_done indices statuses",
         around="waited_for_some({number}, count, all_pending, num_done, indices, {first}, statuses, {call_filling_statuses})"),
    call("Test", "pending flag status", around="waited({number}, pending, flag, status, {call_filling_statuses})"),
    call("Testany", "count all_pending which flag status",
         around="waited_for_any({number}, count, all_pending, which, {first}, status, {call_filling_statuses})"),
    call("Testall", "count all_pending flag statuses",
         around="waited_for_all({number}, count, all_pending, flag, statuses, {call_filling_statuses})"),
    call("Testsome", "count all_pending num_done indices statuses",
         around="waited_for_some({number}, count, all_pending, num_done, indices, {first}, statuses, {call_filling_statuses})"),

    *of_files(),

    # Making and freeing communicators: their messages are MPI's own.
    call("Comm_dup", "comm comm_out"),
    call("Comm_dup_with_info", "comm info comm_out"),
    call("Comm_idup", "comm comm_out request"),
    call("Comm_split", "comm color key comm_out"),
    call("Comm_split_type", "comm split_type key info comm_out"),
    call("Comm_create", "comm group comm_out"),
    call("Comm_create_group", "comm group tag comm_out"),
    call("Comm_free", "comm_out"),
    call("Comm_disconnect", "comm_out"),
    call("Intercomm_create", "local local_leader bridge remote_leader tag comm_out"),
    call("Intercomm_merge", "comm high comm_out"),
    call("Cart_create", "comm num_dims dims periods reorder comm_out", ARRANGED),
    call("Cart_sub", "comm remain comm_out"),
    call("Graph_create", "comm num_nodes index edges reorder comm_out", ARRANGED),
    call("Dist_graph_create", "comm count nodes degrees targets weights info reorder comm_out", ARRANGED),
    call("Dist_graph_create_adjacent",
         "comm in_degree sources source_weights out_degree destinations destination_weights info reorder comm_out", ARRANGED),
]
