// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// The memory in which a rank records, after the program wrote into it what it liked.
#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <random>
#include <string>
#include <utility>

#include "core/base/handle.hpp"
#include "fuzz/merged.hpp"
#include "fuzz/record_image.hpp"
#include "pmix_hooks/output/rank_record_maker.hpp"
#include "pmix_hooks/output/record_reader.hpp"

namespace commmap::fuzz {
namespace {

/// As commmap-collect reads it: from a file without a name.
auto read_from_file(const std::string& image) {
    static const FileDescriptor file(::memfd_create("record_fuzz", MFD_CLOEXEC));
    const auto size = static_cast<::off_t>(image.size());
    require(::ftruncate(file.get(), size) == 0 &&
                ::pwrite(file.get(), image.data(), image.size(), 0) == size,
            "no file in memory");
    return hooks::read_record(file.get());
}

/// In a block of its size, past whose end sanitizers look; a mapping has whole pages.
bool read_from_heap(const std::string& image) {
    const std::unique_ptr<char[]> block(new char[image.size()]);
    std::memcpy(block.get(), image.data(), image.size());
    const auto& head = *reinterpret_cast<const hooks::RecordHead*>(block.get());
    if (head.size == 0 || head.rank >= head.size || head.size > max_profile_ranks) return false;
    const hooks::MemoryView view(block.get(), image.size(), head.base);
    return hooks::make_rank_record(view, head).ok();
}

}  // namespace
}  // namespace commmap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace commmap;
    using namespace commmap::fuzz;
    const std::string image = expanded(text_of(data, size));
    const bool from_heap = read_from_heap(image);
    auto read = read_from_file(image);
    if (!read || !read.value()) return 0;
    require(from_heap || read.value()->gathered, "read from a file, and not from memory");
    // One rank's memory must not cost the others their profile: what is taken of it is good to the
    // end.
    hooks::Recorded& rank = *read.value();
    NodePart part{rank.command, rank.mpi_library, rank.num_ranks, {}};
    part.records = std::move(rank.records);
    require(decode_node_part(encode_node_part(part)).ok(), "a part that is not read again");
    const bool small = part.num_ranks <= most_ranks;
    const bool merged = merge(std::move(part));
    // records that were gathered may be of several runs
    require(merged || !small || rank.gathered, "a part that makes no profile");
    ++taken;
    return 0;
}

/// Addresses are what the reader follows, and random bytes are none.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    using namespace commmap::fuzz;
    std::minstd_rand random(seed);
    constexpr std::size_t word = sizeof(std::uint64_t);
    if (size < sizeof(RecordControl) + word || random() % 2 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    const std::size_t image_bytes = size + sizeof(commmap::hooks::RecordHead);
    const std::size_t at = random() % (size / word) * word;
    if (random() % 4 == 0) {
        // one that is there already, elsewhere
        std::memcpy(data + at, data + random() % (size / word) * word, word);
        return size;
    }
    const std::uint64_t address = image_base + random() % (image_bytes / word) * word;
    std::memcpy(data + at, &address, word);
    return size;
}
