#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/base/mapped_file.h"
#include "core/base/result.h"

namespace kurve::text::detail {

/// An array of a cache folder while it is written; what cannot be written is said by finish().
class ArrayWriter {
public:
    explicit ArrayWriter(std::filesystem::path file) : file_(std::move(file)) {}
    template <class T>
    void add(T value) {
        buffer_.append(reinterpret_cast<const char*>(&value), sizeof value);
        if (buffer_.size() >= kBlock) flush();
    }
    /// {"bytes", "sha256"}. Errors: io.write.
    Result<nlohmann::json> finish();

private:
    static constexpr std::size_t kBlock = std::size_t{1} << 18;
    void flush();
    std::filesystem::path file_;
    std::string buffer_;
    std::uint64_t bytes_ = 0;
    int fd_ = -1, problem_ = 0;
    Sha256 hash_;
};

/// Arrays made in one stream: ids, offsets, positions.
class CacheWriter {
public:
    explicit CacheWriter(std::filesystem::path folder) : folder_(std::move(folder)) {}
    /// Lives as long as the writer.
    ArrayWriter& array(const std::string& name) {
        return arrays_.try_emplace(name, folder_ / name).first->second;
    }
    nlohmann::json facts;  ///< small things to keep with them

private:
    friend class CacheFolder;
    std::filesystem::path folder_;
    std::map<std::string, ArrayWriter> arrays_;
};

/// A folder of arrays, memory-mapped, and "header.json" with what they are made from, their sizes and their
/// SHA-256. It is written beside its place and renamed: whole or not there.
class CacheFolder {
public:
    struct Place {
        std::filesystem::path folder;  ///< data/cache
        bool makesFiles = true;        ///< false: what is missing is made elsewhere and gone at the end
    };
    using Make = std::function<Status(CacheWriter&)>;

    /// The one named NAME that is made from `key`. Where it is missing, of another version, cut short or
    /// damaged (this adds a line to `log`), `make` writes it; where data/cache cannot be written, into the
    /// system's temporary folder. Errors: those of make(), io.write.
    static Result<CacheFolder> openOrMake(const Place& place, const std::string& name, const std::string& key,
                                          const Make& make, std::vector<std::string>& log);

    /// One that is there. Errors: data.cache (of another version or of other data, cut short or damaged),
    /// io.*.
    static Result<CacheFolder> open(const std::filesystem::path& folder, const std::string& key);

    [[nodiscard]] bool has(const std::string& name) const { return files_.contains(name); }
    template <class T>
    [[nodiscard]] std::span<const T> array(const std::string& name) const {
        const auto found = files_.find(name);
        KURVE_CHECK(found != files_.end(), "no array {}", name);
        const auto bytes = found->second.bytes();
        return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
    }
    [[nodiscard]] const nlohmann::json& facts() const { return facts_; }

private:
    static Status write(const std::filesystem::path& folder, const std::string& key, const Make& make);
    static Result<CacheFolder> makeTemporary(const std::string& key, const Make& make);

    std::map<std::string, MappedFile> files_;
    nlohmann::json facts_;
};

}  // namespace kurve::text::detail
