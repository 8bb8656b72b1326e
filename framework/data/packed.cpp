#include "framework/data/packed.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/base/hash.h"
#include "framework/base/read_error.h"
#include "framework/base/strings.h"

namespace lvtext {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little endian");

constexpr char kMagic[9] = "LVTPACK1";

struct Header {
  char magic[8];
  uint32_t id_bytes;
  uint32_t vocab;
  uint64_t sentences;
  uint64_t tokens;
  char sha256[64];
};
static_assert(sizeof(Header) == 96);

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace

/// The mapped file.
struct PackedCorpus::Mapping {
  void* base = MAP_FAILED;
  size_t bytes = 0;
  std::string path;
  std::string sha256;

  ~Mapping() {
    if (base != MAP_FAILED) ::munmap(base, bytes);
  }
  const Header& header() const { return *static_cast<const Header*>(base); }
  const char* payload() const { return static_cast<const char*>(base) + sizeof(Header); }
  const uint64_t* offsets() const { return reinterpret_cast<const uint64_t*>(payload()); }
  const char* ids() const { return payload() + (header().sentences + 1) * sizeof(uint64_t); }

  [[noreturn]] void damaged(const std::string& what) const {
    throw DataError("'" + path + "' is not a whole packed corpus: " + what +
                    "; remove its folder (`lvtext runs rm`), and it is made again from the text");
  }

  void open_file() {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) throw_read_error(path, errno);
    struct stat info {};
    const bool usable = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    bytes = usable ? static_cast<size_t>(info.st_size) : 0;
    if (bytes >= sizeof(Header)) base = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
    const int failed = errno;
    ::close(fd);
    if (!usable) damaged("it is not a regular file");
    if (bytes < sizeof(Header)) damaged("it has " + std::to_string(bytes) + " bytes, no header");
    if (base == MAP_FAILED) throw io_error("map", path, failed);
  }

  void check_sizes() const {
    const Header& h = header();
    if (std::memcmp(h.magic, kMagic, 8) != 0) damaged("it does not start with LVTPACK1");
    if (h.id_bytes != 2 && h.id_bytes != 4)
      damaged("ids of " + std::to_string(h.id_bytes) + " bytes");
    const uint64_t body = bytes - sizeof(Header);
    // Bounded one by one first, so that no product can overflow.
    if (h.sentences >= body / sizeof(uint64_t) || h.tokens > body / h.id_bytes ||
        (h.sentences + 1) * sizeof(uint64_t) + h.tokens * h.id_bytes != body) {
      damaged("its header asks for " + std::to_string(h.sentences) + " sentences and " +
              std::to_string(h.tokens) + " tokens, which is not what its " + std::to_string(bytes) +
              " bytes hold");
    }
  }

  void check_content() {
    const Header& h = header();
    Sha256 hash;
    hash.update(&h.id_bytes, offsetof(Header, sha256) - offsetof(Header, id_bytes));
    hash.update(payload(), bytes - sizeof(Header));
    sha256 = hash.hex();
    if (sha256 != std::string_view(h.sha256, 64)) damaged("its SHA-256 is wrong");
    const uint64_t* offset = offsets();
    if (offset[0] != 0 || offset[h.sentences] != h.tokens) damaged("its offsets do not fit");
    for (uint64_t i = 0; i < h.sentences; ++i) {
      if (offset[i] > offset[i + 1])
        damaged("its offsets decrease at sentence " + std::to_string(i));
    }
    for (uint64_t k = 0; k < h.tokens; ++k) {
      const uint32_t id = h.id_bytes == 2 ? reinterpret_cast<const uint16_t*>(ids())[k]
                                          : reinterpret_cast<const uint32_t*>(ids())[k];
      if (id >= h.vocab)
        damaged("id " + std::to_string(id) + " of a vocabulary of " + std::to_string(h.vocab));
    }
  }
};

void PackedCorpus::write(const std::filesystem::path& path,
                         const std::vector<std::vector<int32_t>>& sentences, int32_t vocab) {
  LVT_ASSERT(vocab > 0, "an empty vocabulary");
  Header header{};
  std::memcpy(header.magic, kMagic, 8);
  header.id_bytes = vocab <= 65536 ? 2 : 4;
  header.vocab = static_cast<uint32_t>(vocab);
  header.sentences = sentences.size();
  for (const auto& sentence : sentences) header.tokens += sentence.size();

  std::string bytes(sizeof(Header), '\0');
  bytes.reserve(sizeof(Header) + (header.sentences + 1) * 8 + header.tokens * header.id_bytes);
  uint64_t offset = 0;
  append(bytes, offset);
  for (const auto& sentence : sentences) append(bytes, offset += sentence.size());
  for (const auto& sentence : sentences) {
    for (const int32_t id : sentence) {
      LVT_ASSERT(id >= 0 && id < vocab,
                 "piece id " + std::to_string(id) + " of " + std::to_string(vocab));
      if (header.id_bytes == 2) {
        append(bytes, static_cast<uint16_t>(id));
      } else {
        append(bytes, static_cast<uint32_t>(id));
      }
    }
  }
  Sha256 hash;
  hash.update(&header.id_bytes, offsetof(Header, sha256) - offsetof(Header, id_bytes));
  hash.update(std::string_view(bytes).substr(sizeof(Header)));
  std::memcpy(header.sha256, hash.hex().data(), 64);
  std::memcpy(bytes.data(), &header, sizeof(Header));
  write_file_atomic(path, bytes);
}

PackedCorpus::PackedCorpus(const std::filesystem::path& path)
    : mapping_(std::make_unique<Mapping>()) {
  mapping_->path = path.string();
  mapping_->open_file();
  mapping_->check_sizes();
  mapping_->check_content();
}

PackedCorpus::~PackedCorpus() = default;
PackedCorpus::PackedCorpus(PackedCorpus&&) noexcept = default;
PackedCorpus& PackedCorpus::operator=(PackedCorpus&&) noexcept = default;

int64_t PackedCorpus::size() const {
  return static_cast<int64_t>(mapping_->header().sentences);
}
int64_t PackedCorpus::total_tokens() const {
  return static_cast<int64_t>(mapping_->header().tokens);
}
int32_t PackedCorpus::vocab() const {
  return static_cast<int32_t>(mapping_->header().vocab);
}
const std::string& PackedCorpus::sha256() const {
  return mapping_->sha256;
}

PackedCorpus::Ids PackedCorpus::ids_of(int64_t i) const {
  LVT_ASSERT(i >= 0 && i < size(),
             "sentence " + std::to_string(i) + " of " + std::to_string(size()));
  const uint64_t begin = mapping_->offsets()[i];
  const int64_t count = static_cast<int64_t>(mapping_->offsets()[i + 1] - begin);
  if (mapping_->header().id_bytes == 2) {
    return {reinterpret_cast<const uint16_t*>(mapping_->ids()) + begin, nullptr, count};
  }
  return {nullptr, reinterpret_cast<const uint32_t*>(mapping_->ids()) + begin, count};
}

int64_t PackedCorpus::length(int64_t i) const {
  return ids_of(i).count;
}

std::vector<int64_t> PackedCorpus::lengths() const {
  std::vector<int64_t> all(size());
  for (int64_t i = 0; i < size(); ++i) all[i] = length(i);
  return all;
}

std::vector<int32_t> PackedCorpus::tokens(int64_t i) const {
  std::vector<int32_t> ids(length(i));
  copy(i, ids.data());
  return ids;
}

}  // namespace lvtext
