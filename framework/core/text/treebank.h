// Penn Treebank word tokenization.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

/// Splits one UTF-8 sentence into words like NLTK's NLTKWordTokenizer (version 3.9), whose output
/// is the input of InferSent: punctuation, brackets and a final period are separate words,
/// contractions are split (do n't, it 's, can not), double quotes become `` and ''. Case is kept.
/// In a text of several sentences, periods before the last remain attached to their words.
std::vector<std::string> treebank_words(std::string_view sentence);

}  // namespace lvtext
