// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/deeds_of_child.hpp"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <sstream>

#include "core/base/handle.hpp"
#include "core/base/memory_file.hpp"
#include "spank_commmap/process/installed_paths.hpp"

namespace commmap::spank {

Deeds lines_of(const std::string& text) {
    Deeds lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string content_of(int fd) {
    std::string text(static_cast<std::size_t>(::lseek(fd, 0, SEEK_END)), '\0');
    const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
}

Deeds in_child(const std::function<Deeds()>& work) {
    const FileDescriptor said = memory_file("commmap-test", MFD_CLOEXEC);
    const pid_t child = ::fork();
    if (child == 0) {
        Deeds deeds;
        try {
            deeds = work();
        } catch (const std::exception& exception) {
            deeds.push_back(std::string("exception ") + exception.what());
        }
        std::string text;
        for (const std::string& deed : deeds) text += deed + '\n';
        ::_exit(::write(said.get(), text.data(), text.size()) == std::ssize(text) ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    return lines_of(content_of(said.get()));
}

Deeds in_child_without_root(const std::function<Deeds()>& work) {
    return in_child([&]() -> Deeds {
        if (::geteuid() == 0 &&
            (::setgroups(0, nullptr) != 0 || ::setresgid(nobody, nobody, nobody) != 0 ||
             ::setresuid(nobody, nobody, nobody) != 0))
            return {"cannot become nobody"};
        return work();
    });
}

bool nobody_reaches_installed_files() {
    return in_child_without_root([]() -> Deeds {
               if (::access(installed_file("commmap_task.so").c_str(), R_OK) != 0) return {"no"};
               return {};
           })
        .empty();
}

}  // namespace commmap::spank
