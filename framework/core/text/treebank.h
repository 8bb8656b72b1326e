// Words as the Penn Treebank separates them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

/// The words of one sentence as NLTK's NLTKWordTokenizer (version 3.9) finds them, which is what
/// InferSent reads: punctuation, brackets and a final period stand alone, contractions are cut
/// (do n't, it 's, can not), double quotes become `` and ''. Case is kept. `sentence` is UTF-8; a
/// text of several sentences keeps the inner periods at their words.
std::vector<std::string> treebank_words(std::string_view sentence);

}  // namespace lvtext
