#include "views/corpus/vocabulary_item_model.h"

#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

QString roleOf(const VocabularyEntry& entry, const text::SpecialIds& special) {
    const std::pair<std::int32_t, const char*> roles[] = {{special.bos, "beginning of sentence"},
                                                          {special.eos, "end of sentence"},
                                                          {special.pad, "padding"},
                                                          {special.unk, "unknown"},
                                                          {special.mask, "mask"}};
    for (const auto& [id, role] : roles)
        if (entry.id == id) return QString::fromLatin1(role);
    return entry.token.startsWith(QChar(0x2581)) ? QStringLiteral("word start") : QString();
}

}  // namespace

void VocabularyItemModel::setVocabulary(std::shared_ptr<const BrowsedVocabulary> vocabulary) {
    beginResetModel();
    vocabulary_ = std::move(vocabulary);
    endResetModel();
}

int VocabularyItemModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !vocabulary_ ? 0 : static_cast<int>(vocabulary_->entries.size());
}

int VocabularyItemModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant VocabularyItemModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const VocabularyEntry& entry = vocabulary_->entries[static_cast<std::size_t>(index.row())];
    if (role == Qt::FontRole && index.column() == Token) return monoFont();
    if (role == Qt::ForegroundRole && index.column() == Role) return theme().muted;
    if (role == Qt::TextAlignmentRole && (index.column() == Id || index.column() == Count))
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case Id:
            return entry.id;
        case Token:
            return entry.token;
        case Count:
            return entry.count;
        case Role:
            return roleOf(entry, vocabulary_->special);
        default:
            return {};
    }
}

QVariant VocabularyItemModel::headerData(int section, Qt::Orientation orientation, int role) const {
    static const char* const kTitles[] = {"Id", "Token", "Count", "Role"};
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? QVariant(QString::fromLatin1(kTitles[section])) : QVariant();
}

}  // namespace kurve::views
