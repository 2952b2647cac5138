// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/exchange/gather.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>

#include "core/base/frames.hpp"
#include "pmix_hooks/mpi/handles.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"

namespace commmap::hooks {
namespace {

constexpr int tag = 0;
/// In the place of a length: something is missing below the sender.
constexpr std::uint64_t lost = UINT64_MAX;
constexpr std::uint64_t too_large = UINT64_MAX - 1;

using End = Gathered::End;

class Tree {
public:
    Tree(MPI_Comm comm, std::size_t max_bytes, std::size_t chunk_bytes) noexcept
        : comm_(comm), max_bytes_(max_bytes), chunk_bytes_(chunk_bytes) {}

    void send(int parent, std::string_view bytes, End end) noexcept {
        std::uint64_t length = end == End::complete ? bytes.size()
                               : end == End::lost   ? lost
                                                    : too_large;
        PMPI(Send)(&length, sizeof length, type_byte(), parent, tag, comm_);
        if (end != End::complete) return;
        for (std::size_t at = 0; at < bytes.size(); at += chunk_bytes_) {
            const std::size_t part = std::min(chunk_bytes_, bytes.size() - at);
            PMPI(Send)(bytes.data() + at, static_cast<int>(part), type_byte(), parent, tag, comm_);
        }
    }

    /// Appends a child's bytes. When there is no room for them they are taken and dropped.
    [[nodiscard]] End receive(int child, GatheredBytes& bytes) noexcept {
        std::uint64_t length = lost;
        if (PMPI(Recv)(&length, sizeof length, type_byte(), child, tag, comm_, MPI_STATUS_IGNORE) !=
                MPI_SUCCESS ||
            length == lost)
            return End::lost;
        if (length == too_large) return End::too_large;
        const std::size_t before = bytes.view().size();
        const bool fits = length <= max_bytes_ && before <= max_bytes_ - length;
        char* const place = fits ? bytes.grow(length) : nullptr;
        End end = !fits ? End::too_large : place == nullptr ? End::lost : End::complete;
        for (std::size_t at = 0; at < length; at += chunk_bytes_) {
            // Without room, a receive of 0 bytes takes the message and records that it was cut.
            const bool room = end == End::complete;
            const std::size_t part = room ? std::min<std::size_t>(chunk_bytes_, length - at) : 0;
            const int status = PMPI(Recv)(room ? place + at : nullptr, static_cast<int>(part),
                                          type_byte(), child, tag, comm_, MPI_STATUS_IGNORE);
            if (room && status != MPI_SUCCESS) end = End::lost;
        }
        return end;
    }

    /// How it ended at the root, once the root knows it.
    [[nodiscard]] End hear(int parent) const {
        std::uint8_t end = 0;
        if (PMPI(Recv)(&end, 1, type_byte(), parent, tag, comm_, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return End::lost;
        return static_cast<End>(end);
    }
    void tell(int child, End how) const {
        const auto end = static_cast<std::uint8_t>(how);
        PMPI(Send)(&end, 1, type_byte(), child, tag, comm_);
    }

private:
    MPI_Comm comm_;
    std::size_t max_bytes_;
    std::size_t chunk_bytes_;
};

bool append_record(GatheredBytes& all, std::string_view record) noexcept {
    const auto head = frame_head(record);
    return all.append({head.data(), head.size()}) && all.append(record);
}

}  // namespace

char* GatheredBytes::grow(std::size_t bytes) noexcept {
    if (in_room()) {
        if (bytes > room_.size() - used_) return nullptr;
        char* const place = room_.data() + used_;
        used_ += bytes;
        return place;
    }
    try {
        own_.resize(own_.size() + bytes);
        return own_.data() + own_.size() - bytes;
    } catch (const std::exception&) {
        return nullptr;
    }
}

bool GatheredBytes::append(std::string_view bytes) noexcept {
    char* const place = grow(bytes.size());
    if (place != nullptr) std::copy(bytes.begin(), bytes.end(), place);
    return place != nullptr;
}

void GatheredBytes::clear() noexcept {
    used_ = 0;
    own_.clear();
    own_.shrink_to_fit();
}

void keep_record(Gathered& gathered, std::string_view record) noexcept {
    if (gathered.end == Gathered::End::complete && !append_record(gathered.records, record))
        gathered = {};
}

Gathered gather_to_root(MPI_Comm comm, int rank, int size, const std::string& mine,
                        std::size_t max_bytes, std::span<char> room,
                        std::size_t chunk_bytes) noexcept {
    Gathered result;
    Tree tree(comm, max_bytes, chunk_bytes);
    GatheredBytes all(room);
    result.end = append_record(all, mine) ? End::complete : End::lost;
    int step = 1;
    for (; step < size; step *= 2) {
        if (rank & step) {
            tree.send(rank - step, all.view(), result.end);
            result.end = tree.hear(rank - step);
            break;
        }
        if (rank + step >= size) continue;
        const End received = tree.receive(rank + step, all);
        if (result.end == End::complete) result.end = received;
        if (result.end != End::complete) all.clear();
    }
    if (rank == 0 && result.end == End::complete) result.records = std::move(all);
    for (step /= 2; step > 0; step /= 2)
        if (rank + step < size) tree.tell(rank + step, result.end);
    return result;
}

}  // namespace commmap::hooks
