#include "pmix_hooks/gather.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>

#include "pmix_hooks/mpi_library.hpp"

namespace commmap::hooks {
namespace {

constexpr int tag = 0;
/// In the place of a length: something is missing below the sender.
constexpr std::uint64_t failed = UINT64_MAX;

class Tree {
public:
    Tree(MPI_Comm comm, std::size_t chunk_bytes) noexcept
        : comm_(comm), chunk_bytes_(chunk_bytes) {}

    void send(int parent, const std::string& bytes, bool complete) noexcept {
        std::uint64_t length = complete ? bytes.size() : failed;
        PMPI(Send)(&length, sizeof length, type_byte(), parent, tag, comm_);
        for (std::size_t at = 0; complete && at < bytes.size(); at += chunk_bytes_) {
            const std::size_t part = std::min(chunk_bytes_, bytes.size() - at);
            PMPI(Send)(bytes.data() + at, static_cast<int>(part), type_byte(), parent, tag, comm_);
        }
    }

    /// Appends a child's bytes. false when there are none, or no memory for them: then they are
    /// taken and dropped.
    bool receive(int child, std::string& bytes) noexcept {
        std::uint64_t length = failed;
        if (PMPI(Recv)(&length, sizeof length, type_byte(), child, tag, comm_, MPI_STATUS_IGNORE) !=
                MPI_SUCCESS ||
            length == failed)
            return false;
        const std::size_t before = bytes.size();
        bool good = true;
        try {
            bytes.resize(before + length);
        } catch (const std::exception&) {
            good = false;
        }
        for (std::size_t at = 0; at < length; at += chunk_bytes_) {
            const std::size_t part = good ? std::min<std::size_t>(chunk_bytes_, length - at) : 0;
            // Without room, a receive of 0 bytes takes the message and reports that it was cut.
            good &= PMPI(Recv)(good ? bytes.data() + before + at : nullptr, static_cast<int>(part),
                               type_byte(), child, tag, comm_, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        }
        return good;
    }

private:
    MPI_Comm comm_;
    std::size_t chunk_bytes_;
};

void append_framed(std::string& all, const std::string& report) {
    const std::uint64_t length = report.size();
    all.append(reinterpret_cast<const char*>(&length), sizeof length);
    all += report;
}

bool split_frames(const std::string& all, std::vector<std::string>& reports) {
    for (std::size_t at = 0; at < all.size();) {
        std::uint64_t length = 0;
        if (all.size() - at < sizeof length) return false;
        std::memcpy(&length, all.data() + at, sizeof length);
        at += sizeof length;
        if (length > all.size() - at) return false;
        reports.push_back(all.substr(at, length));
        at += length;
    }
    return true;
}

}  // namespace

Gathered gather_to_root(MPI_Comm comm, int rank, int size, const std::string& mine,
                        std::size_t chunk_bytes) noexcept {
    Gathered result;
    Tree tree(comm, chunk_bytes);
    std::string all;
    bool complete = true;
    try {
        append_framed(all, mine);
    } catch (const std::exception&) {
        complete = false;
    }
    for (int step = 1; step < size; step *= 2) {
        if (rank & step) {
            tree.send(rank - step, all, complete);
            return result;
        }
        if (rank + step < size) complete &= tree.receive(rank + step, all);
    }
    try {
        result.complete = complete && split_frames(all, result.reports);
    } catch (const std::exception&) {
        result.complete = false;
    }
    return result;
}

}  // namespace commmap::hooks
