#include "ci/fock/spaces/list_chunk.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace cisolve::ci {
namespace {

std::size_t hash(const String& string) {
  std::uint64_t sum = 0;
  for (const std::uint64_t word : string.words()) sum = base::mix(sum ^ word);
  return sum;
}

}  // namespace

StringNumber StringDictionary::number_of(const String& string) {
  if (!strings_.empty() && string == strings_[last_]) return last_;
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash(string) & mask;
  while (slots_[slot] != kFree && strings_[slots_[slot]] != string) slot = (slot + 1) & mask;
  if (slots_[slot] == kFree) take(string, slot);
  return last_ = slots_[slot];
}

void StringDictionary::take(const String& string, std::size_t& slot) {
  slots_[slot] = static_cast<StringNumber>(strings_.size());
  strings_.push_back(string);
  if (2 * strings_.size() <= slots_.size()) return;
  slots_.assign(2 * slots_.size(), kFree);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < strings_.size(); ++i) {
    slot = hash(strings_[i]) & mask;
    while (slots_[slot] != kFree) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<StringNumber>(i);
  }
}

void StringDictionary::renumber(const std::vector<String>& all) {
  std::vector<StringNumber> number(strings_.size());
  for (std::size_t i = 0; i < strings_.size(); ++i)
    number[i] = static_cast<StringNumber>(std::ranges::lower_bound(all, strings_[i]) - all.begin());
  for (StringNumber& one : of_) one = number[one];
}

Index StringDictionary::bytes() const {
  return static_cast<Index>(strings_.capacity() * sizeof(String) +
                            (slots_.capacity() + of_.capacity()) * sizeof(StringNumber));
}

}  // namespace cisolve::ci
