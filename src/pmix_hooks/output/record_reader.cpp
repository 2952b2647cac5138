// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/output/record_reader.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/base/frames.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/recording/rank_record_codec.hpp"
#include "pmix_hooks/output/rank_record_maker.hpp"
#include "pmix_hooks/output/record_memory.hpp"

namespace commmap::hooks {
namespace {

class MappedMemory {
public:
    MappedMemory(int fd, std::size_t bytes)
        : bytes_(bytes), pages_(::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0)) {}
    ~MappedMemory() {
        if (pages_ != MAP_FAILED) ::munmap(pages_, bytes_);
    }
    MappedMemory(const MappedMemory&) = delete;
    MappedMemory& operator=(const MappedMemory&) = delete;
    [[nodiscard]] const void* get() const { return pages_ == MAP_FAILED ? nullptr : pages_; }

private:
    std::size_t bytes_;
    void* pages_;
};

const Error damaged{Errc::corrupt, "what a rank recorded is damaged"};

/// Reads the records that rank 0 has gathered. A rank without a record has an empty frame, which is
/// left out.
Result<std::vector<RankRecord>> gathered_records(const MemoryView& view, const RecordHead& head,
                                                 std::uint32_t num_ranks) {
    const std::uint64_t bytes = head.gathered_bytes;
    const char* const start = view.at(head.gathered, bytes);
    if (start == nullptr) return damaged;
    // The bytes are copied, for the program may still write there.
    const std::string copy(start, bytes);
    std::vector<RankRecord> records;
    std::vector<bool> there(num_ranks, false);
    std::string_view frames = copy;
    for (std::string_view frame; !frames.empty();) {
        if (!take_frame(frames, frame)) return damaged;
        if (frame.empty()) continue;
        auto record = decode_rank_record(frame);
        if (!record) return record.error();
        const RankId rank = record.value().rank;
        if (rank >= num_ranks || there[rank]) return damaged;
        there[rank] = true;
        records.push_back(std::move(record).value());
    }
    return records;
}

}  // namespace

Result<std::optional<Recorded>> read_record(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) return Error{Errc::io, std::strerror(errno)};
    const auto bytes = static_cast<std::size_t>(status.st_size);
    if (bytes < sizeof(RecordHead)) return std::optional<Recorded>();
    const MappedMemory memory(fd, bytes);
    if (memory.get() == nullptr) return Error{Errc::io, std::strerror(errno)};
    return read_record(memory.get(), bytes);
}

Result<std::optional<Recorded>> read_record(const void* memory, std::size_t bytes) {
    if (bytes < sizeof(RecordHead)) return std::optional<Recorded>();
    const auto& head = *static_cast<const RecordHead*>(memory);
    const RecordState state = head.state.load();
    if (head.layout == 0 || !is_to_be_collected(state)) return std::optional<Recorded>();
    if (head.magic != RecordHead::magic_now || head.layout != record_layout())
        return Error{Errc::not_supported, "a rank was recorded by another version of commmap"};
    Recorded recorded;
    recorded.num_ranks = head.size;
    if (recorded.num_ranks == 0 || recorded.num_ranks > max_profile_ranks ||
        head.rank >= recorded.num_ranks)
        return damaged;
    recorded.command = text_of(head.command);
    const MemoryView view(memory, bytes, head.base);
    recorded.gathered = state == RecordState::gathered;
    if (recorded.gathered) {
        auto records = gathered_records(view, head, recorded.num_ranks);
        if (!records) return records.error();
        recorded.records = std::move(records).value();
    } else {
        auto record = make_rank_record(view, head);
        if (!record) return record.error();
        record.value().application_id = text_of(head.application_id);
        record.value().program = program_name(recorded.command);
        recorded.records.push_back(std::move(record).value());
    }
    // done here, where no rank waits for it
    for (RankRecord& record : recorded.records) {
        if (Status s = check_ranks(record, recorded.num_ranks); !s) return s.error();
        if (recorded.gathered) continue;  // each rank has done the same
        limit_sections(record, most_section_bytes(recorded.num_ranks));
        limit_lists(record, most_record_bytes(recorded.num_ranks));
    }
    recorded.mpi_library = text_of(head.mpi_library);
    recorded.profiles = text_of(head.profiles);
    recorded.visibility = head.visibility;
    return std::optional(std::move(recorded));
}

}  // namespace commmap::hooks
