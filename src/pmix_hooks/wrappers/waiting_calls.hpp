// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "pmix_hooks/memory/arena.hpp"
#include "pmix_hooks/mpi/handles.hpp"
#include "pmix_hooks/recorder.hpp"
#include "pmix_hooks/rounds/statuses.hpp"
#include "pmix_hooks/wrappers/call.hpp"
#include "pmix_hooks/wrappers/early_messages.hpp"

namespace commmap::hooks {

/// Return the statuses of a wrapper's argument: a pointer of C, or FortranStatuses.
[[nodiscard]] inline Statuses statuses_of(MPI_Status* statuses) noexcept { return statuses; }
[[nodiscard]] inline const FortranStatuses& statuses_of(const FortranStatuses& statuses) noexcept {
    return statuses;
}

// These functions wrap calls that complete requests or receive messages. Each makes the call and
// returns what the call returned.
// `call` takes the statuses that MPI is to fill. These are our own where the program ignores
// statuses and a receive is from MPI_ANY_SOURCE.

/// Copies of handles from before a call, which may change them.
class HandleNumbers {
public:
    HandleNumbers(int count, const Handles<MPI_Request>& requests) noexcept {
        // a call inside of another is not recorded
        if (call_depth > 0 || requests.are_missing()) return;
        numbers_ = count <= few ? first_ : recorder.room_for_handles(count);
        if (numbers_ == nullptr) return;
        for (int i = 0; i < count; ++i)
            numbers_[i] = handle_number(requests[static_cast<std::size_t>(i)]);
    }
    /// Returns the number of a handle; 0 where there was no memory for the copies.
    [[nodiscard]] std::uintptr_t operator[](int index) const noexcept {
        return numbers_ == nullptr ? 0 : numbers_[index];
    }

private:
    static constexpr int few = 64;
    std::uintptr_t first_[few];
    std::uintptr_t* numbers_ = nullptr;
};

/// Statuses of our own, where they are wanted; null where they are not, or where there is no
/// memory.
class OwnStatuses {
public:
    OwnStatuses(int count, bool wanted) noexcept {
        if (!wanted) return;
        if (count > few)
            pages_ = ScratchPages(static_cast<std::size_t>(count) * sizeof(MPI_Status));
        statuses_ = count > few ? pages_.as<MPI_Status>() : first_;
    }
    OwnStatuses(const OwnStatuses&) = delete;
    OwnStatuses& operator=(const OwnStatuses&) = delete;
    ~OwnStatuses() = default;
    [[nodiscard]] MPI_Status* get() const noexcept { return statuses_; }

private:
    static constexpr int few = 32;
    MPI_Status first_[few];
    ScratchPages pages_;
    MPI_Status* statuses_ = nullptr;
};

/// Returns whether one of the requests is a receive from MPI_ANY_SOURCE that is not persistent.
/// With statuses, Open MPI does not say that the message of a persistent receive was too long.
inline bool one_is_from_anyone(const HandleNumbers& handles, int count) noexcept {
    if (!recorder.receives_from_anyone()) return false;
    for (int i = 0; i < count; ++i)
        if (recorder.is_from_anyone(handles[i])) return true;
    return false;
}

/// Wraps Irecv and calls like it.
/// @param look  calls look_for_message() with the receive's own arguments
template <class Call, class Look, class Note>
int receiving(MpiCall number, Call&& call, Look&& look, Note&& note) {
    if (!recorder.recording()) return call();
    if (is_time_to_look()) [[unlikely]]
        look();
    return recorded(number, call, [&] { note(unknown_source); });
}

/// Wraps Recv and Sendrecv.
/// @param look  as above
/// @param note  is called with the sender
template <class Status, class Call, class Look, class Note>
int received(MpiCall number, int source, const Status& given, Call&& call, Look&& look,
             Note&& note) {
    const auto& status = statuses_of(given);
    if (!recorder.recording()) return call(status.get());
    if (is_time_to_look()) [[unlikely]]
        look();
    CallScope scope(number);
    MPI_Status own;  // filled where it is passed
    const bool is_own = source == MPI_ANY_SOURCE && status.are_ignored();
    const int result = call(is_own ? &own : status.get());
    scope.stop();
    if (result == MPI_SUCCESS && scope.outermost()) {
        if (source == MPI_ANY_SOURCE) source = is_own ? own.MPI_SOURCE : status.source(0);
        note(source);
        recorder.waited();
    }
    return result;
}

/// Wraps Mrecv: the message has been matched before, so its sender is known.
template <class Call>
int received_message(MpiCall number, Handles<MPI_Message> message, Call&& call) {
    if (!recorder.recording() || message.are_missing()) return call();
    const std::uintptr_t handle = handle_number(message[0]);
    CallScope scope(number);
    const int result = call();
    scope.stop();
    if (result == MPI_SUCCESS && scope.outermost())
        recorder.completed_alone(handle, true, [] { return unknown_source; });
    return result;
}

/// Wraps Imrecv: the request takes the message's place.
/// @param note  is called with the message's handle
template <class Call, class Note>
int receiving_message(MpiCall number, Handles<MPI_Message> message, Call&& call, Note&& note) {
    if (!recorder.recording() || message.are_missing()) return call();
    const std::uintptr_t handle = handle_number(message[0]);
    CallScope scope(number);
    const int result = call();
    scope.stop();
    if (result == MPI_SUCCESS && scope.outermost()) note(handle);
    return result;
}

/// Wraps Wait and Test. A Test whose flag is 0 has completed nothing.
/// @param flag  null for Wait
template <class Status, class Call>
int waited(MpiCall number, Handles<MPI_Request> request, const int* flag, const Status& given,
           Call&& call) {
    const auto& status = statuses_of(given);
    if (!recorder.recording() || request.are_missing()) return call(status.get());
    const std::uintptr_t handle = handle_number(request[0]);
    CallScope scope(number);
    MPI_Status own;  // filled where it is passed
    const bool is_own =
        status.are_ignored() && scope.outermost() && recorder.receives_from_anyone();
    const int result = call(is_own ? &own : status.get());
    scope.stop();
    if (result == MPI_SUCCESS && scope.outermost() && (flag == nullptr || *flag != 0))
        recorder.completed_alone(handle, flag == nullptr,
                                 [&] { return is_own ? own.MPI_SOURCE : status.source(0); });
    return result;
}

/// Wraps Waitall and Testall.
/// @param flag  null for Waitall
template <class Status, class Call>
int waited_for_all(MpiCall number, int count, Handles<MPI_Request> requests, const int* flag,
                   const Status& given, Call&& call) {
    const auto& statuses = statuses_of(given);
    if (!recorder.recording()) return call(statuses.get());
    const HandleNumbers handles(count, requests);
    CallScope scope(number);
    const bool is_own =
        statuses.are_ignored() && scope.outermost() && one_is_from_anyone(handles, count);
    const OwnStatuses mine(count, is_own);
    const MPI_Status* const own = mine.get();
    const int result = call(own != nullptr ? mine.get() : statuses.get());
    scope.stop();
    if (result == MPI_SUCCESS && scope.outermost() && (flag == nullptr || *flag != 0)) {
        for (int i = 0; i < count; ++i)
            recorder.completed(handles[i], [&] {
                const auto index = static_cast<std::size_t>(i);
                return own != nullptr ? own[index].MPI_SOURCE : statuses.source(index);
            });
        if (flag == nullptr)
            recorder.waited();
        else
            recorder.found_complete();
    }
    return result;
}

/// Wraps Waitany and Testany.
/// @param first  the number of the first request in `which`
template <class Status, class Call>
int waited_for_any(MpiCall number, int count, Handles<MPI_Request> requests, const int* which,
                   int first, const Status& given, Call&& call) {
    const auto& status = statuses_of(given);
    if (!recorder.recording()) return call(status.get());
    const HandleNumbers handles(count, requests);
    CallScope scope(number);
    MPI_Status own;  // filled where it is passed
    const bool is_own =
        status.are_ignored() && scope.outermost() && recorder.receives_from_anyone();
    const int result = call(is_own ? &own : status.get());
    scope.stop();
    // MPI_UNDEFINED also where Testany found no complete request
    if (result == MPI_SUCCESS && scope.outermost() && *which != MPI_UNDEFINED && *which >= first &&
        *which - first < count) {
        recorder.completed(handles[*which - first],
                           [&] { return is_own ? own.MPI_SOURCE : status.source(0); });
        recorder.found_complete();
    }
    return result;
}

/// Wraps Waitsome and Testsome.
template <class Status, class Call>
int waited_for_some(MpiCall number, int count, Handles<MPI_Request> requests, const int* num_done,
                    const int* indices, int first, const Status& given, Call&& call) {
    const auto& statuses = statuses_of(given);
    if (!recorder.recording()) return call(statuses.get());
    const HandleNumbers handles(count, requests);
    CallScope scope(number);
    const bool is_own =
        statuses.are_ignored() && scope.outermost() && one_is_from_anyone(handles, count);
    const OwnStatuses mine(count, is_own);
    const MPI_Status* const own = mine.get();
    const int result = call(own != nullptr ? mine.get() : statuses.get());
    scope.stop();
    if (result == MPI_SUCCESS && scope.outermost() && *num_done != MPI_UNDEFINED &&
        *num_done <= count) {
        for (int i = 0; i < *num_done; ++i)
            recorder.completed(handles[indices[i] - first], [&] {
                const auto index = static_cast<std::size_t>(i);
                return own != nullptr ? own[index].MPI_SOURCE : statuses.source(index);
            });
        if (*num_done > 0) recorder.found_complete();
    }
    return result;
}

/// Wraps calls that free or cancel a request. The request is forgotten before the call: another
/// thread may get the same handle for a new request at once.
template <class Call>
int without_request(MpiCall number, Handles<MPI_Request> request, bool is_freed, Call&& call) {
    if (!recorder.recording()) return call();
    if (call_depth == 0 && !request.are_missing()) recorder.request_dropped(request[0], is_freed);
    return timed(number, call);
}

}  // namespace commmap::hooks
