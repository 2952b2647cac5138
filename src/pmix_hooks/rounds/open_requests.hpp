// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>

#include "pmix_hooks/memory/arena.hpp"

namespace commmap::hooks {

struct RankGroup;

/// A request or a matched message that a thread has begun and not completed.
struct OpenRequest {
    std::uintptr_t handle = 0;  ///< number of an MPI_Request or an MPI_Message; 0: an empty place
    /// Act of the request's completion (round_key()); 0 where completion is no act, as for a send.
    std::uint64_t completes = 0;
    /// Group in which the status names the sender, of a receive from MPI_ANY_SOURCE. Else null.
    const RankGroup* senders = nullptr;
    std::uint32_t round = 0;  ///< the thread's round in which the request began; OpenRound sets it
    bool is_persistent = false;
    bool is_send = false;
};

/// Hash table of a thread's open requests, by handle, in pages of its own.
/// The latest request stands apart, for most requests are completed before the next one begins.
/// Cost: about 2 ns a call for the other requests, while the table fits into the cache.
class OpenRequests {
public:
    /// Adds a request, in place of an entry with the same handle.
    /// MPI has then used the handle again, so the older request was completed unseen.
    /// @param replaced  receives the replaced entry; its handle is 0 when there was none
    /// @return          false when there is no memory
    [[nodiscard]] bool insert(const OpenRequest& request, OpenRequest& replaced) noexcept {
        replaced.handle = 0;
        if (latest_.handle == request.handle) {
            replaced = latest_;
        } else if (latest_.handle != 0 || size_ > 0) {
            if (const std::size_t at = place_of(request.handle); at != nowhere) {
                replaced = places_[at];
                erase(at);
            }
            if (latest_.handle != 0 && !store(latest_)) return false;
        }
        latest_ = request;
        return true;
    }
    /// Takes out the request with this handle; the result's handle is 0 when there is none.
    [[nodiscard, gnu::always_inline]] OpenRequest take(std::uintptr_t handle) noexcept {
        if (latest_.handle != handle || handle == 0) return take_older(handle);
        const OpenRequest taken = latest_;
        latest_.handle = 0;
        return taken;
    }
    [[nodiscard]] const OpenRequest* find(std::uintptr_t handle) const noexcept {
        if (latest_.handle == handle) return handle == 0 ? nullptr : &latest_;
        const std::size_t at = place_of(handle);
        return at == nowhere ? nullptr : places_ + at;
    }

private:
    static constexpr std::size_t first_places = 256;
    static constexpr std::size_t most_places = std::size_t{1} << 17;
    static constexpr std::size_t nowhere = SIZE_MAX;

    [[nodiscard]] std::size_t home(std::uintptr_t handle) const noexcept {
        return static_cast<std::size_t>((handle * 0x9e37'79b9'7f4a'7c15) >> 40) & (capacity_ - 1);
    }
    [[nodiscard]] std::size_t after(std::size_t at) const noexcept {
        return (at + 1) & (capacity_ - 1);
    }
    [[nodiscard]] std::size_t place_of(std::uintptr_t handle) const noexcept {
        if (size_ == 0 || handle == 0) return nowhere;
        for (std::size_t at = home(handle); places_[at].handle != 0; at = after(at))
            if (places_[at].handle == handle) return at;
        return nowhere;
    }
    [[nodiscard]] OpenRequest take_older(std::uintptr_t handle) noexcept {
        OpenRequest taken;
        if (const std::size_t at = place_of(handle); at != nowhere) {
            taken = places_[at];
            erase(at);
        }
        return taken;
    }
    [[nodiscard]] bool store(const OpenRequest& request) noexcept {
        if (2 * (size_ + 1) > capacity_ && !grow()) [[unlikely]]
            return false;
        std::size_t at = home(request.handle);
        while (places_[at].handle != 0) at = after(at);
        places_[at] = request;
        ++size_;
        return true;
    }
    void erase(std::size_t gap) noexcept {
        --size_;
        // Entries behind the gap move into it, unless that place lies before their home.
        for (std::size_t at = after(gap); places_[at].handle != 0; at = after(at)) {
            const std::size_t wanted = home(places_[at].handle);
            if (((at - wanted) & (capacity_ - 1)) < ((at - gap) & (capacity_ - 1))) continue;
            places_[gap] = places_[at];
            gap = at;
        }
        places_[gap].handle = 0;
    }
    [[nodiscard]] bool grow() noexcept;

    OpenRequest latest_;
    ScratchPages pages_;
    OpenRequest* places_ = nullptr;
    std::size_t capacity_ = 0;
    std::size_t size_ = 0;
};

}  // namespace commmap::hooks
