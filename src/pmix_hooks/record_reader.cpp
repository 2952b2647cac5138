#include "pmix_hooks/record_reader.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/profile/profile_codec.hpp"
#include "pmix_hooks/record_memory.hpp"
#include "pmix_hooks/report.hpp"

namespace commmap::hooks {
namespace {

class Mapping {
public:
    Mapping(int fd, std::size_t bytes)
        : bytes_(bytes), pages_(::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0)) {}
    ~Mapping() {
        if (pages_ != MAP_FAILED) ::munmap(pages_, bytes_);
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    [[nodiscard]] const void* get() const { return pages_ == MAP_FAILED ? nullptr : pages_; }

private:
    std::size_t bytes_;
    void* pages_;
};

}  // namespace

Result<std::optional<Recorded>> read_record(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) return Error{Errc::io, std::strerror(errno)};
    const auto bytes = static_cast<std::size_t>(status.st_size);
    if (bytes < sizeof(RecordHead)) return std::optional<Recorded>();
    const Mapping mapping(fd, bytes);
    if (mapping.get() == nullptr) return Error{Errc::io, std::strerror(errno)};
    const auto& head = *static_cast<const RecordHead*>(mapping.get());
    const RecordState state = head.state.load();
    if (head.layout == 0 || (state != RecordState::running && state != RecordState::finished))
        return std::optional<Recorded>();
    if (head.magic != RecordHead::magic_now || head.layout != record_layout())
        return Error{Errc::not_supported, "a rank was recorded by another version of commmap"};
    Recorded recorded;
    recorded.num_ranks = head.size;
    if (recorded.num_ranks == 0 || recorded.num_ranks > max_profile_ranks ||
        head.rank >= recorded.num_ranks)
        return Error{Errc::corrupt, "what a rank recorded is damaged"};
    auto report = make_report(MemoryView(mapping.get(), bytes, head.base), head);
    if (!report) return report.error();
    recorded.report = std::move(report).value();
    // here, where it costs the others nothing
    if (Status s = check_ranks(recorded.report, recorded.num_ranks); !s) return s.error();
    limit_sections(recorded.report, most_section_bytes(recorded.num_ranks));
    recorded.command = text_of(head.command);
    recorded.report.application_id = text_of(head.application_id);
    recorded.report.program = program_name(recorded.command);
    recorded.mpi_library = text_of(head.mpi_library);
    recorded.profiles = text_of(head.profiles);
    recorded.readers = head.readers;
    return std::optional(std::move(recorded));
}

}  // namespace commmap::hooks
