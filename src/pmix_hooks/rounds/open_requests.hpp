#pragma once

#include <cstddef>
#include <cstdint>

#include "pmix_hooks/memory/arena.hpp"

namespace commmap::hooks {

struct RankGroup;

/// A request, or a matched message, that a thread has begun and not completed.
struct OpenRequest {
    std::uintptr_t handle = 0;  ///< number of an MPI_Request or an MPI_Message; 0: an empty place
    /// The act when it completes (round_key()); 0 where that is none (a send).
    std::uint64_t completes = 0;
    /// Of a receive from MPI_ANY_SOURCE: in what the status names the sender. Else null.
    const RankGroup* senders = nullptr;
    std::uint32_t round = 0;  ///< the thread's round in which the request began; OpenRound sets it
    bool is_persistent = false;
    bool is_send = false;
};

/// The open requests of a thread, by handle. The latest stands apart: most requests are completed
/// before the next one begins. Of others each call takes about 2 ns while they are few enough to
/// lie in the cache. Own pages, no heap.
class OpenRequests {
public:
    /// An entry of the same handle is replaced: MPI has used the handle again, so that request was
    /// completed behind our back.
    /// @param replaced  gets the replaced entry; none: its handle is 0
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
    /// Takes it out; its handle is 0 when there is none.
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
        // What stands behind the gap moves up, where it is not before its home then.
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
