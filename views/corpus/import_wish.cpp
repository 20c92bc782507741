#include "views/corpus/import_wish.h"

#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <algorithm>

#include "core/base/file.h"

namespace kurve::views {

namespace {

constexpr std::size_t kHeadBytes = 4096;
constexpr qint64 kBytesPerPair = 80;  // a guess at short sentences, for the size of a cut only
constexpr int kUsualCut = 200;

bool isTsv(const QString& file) {
    return file.endsWith(QStringLiteral(".tsv"), Qt::CaseInsensitive);
}

/// Complete lines at the head of a file without notices; none if it is no text.
QStringList headOf(const QString& path) {
    auto file = InputFile::open(QFile::encodeName(path).toStdString());
    QByteArray bytes(kHeadBytes, '\0');
    const auto size = file ? file->read({bytes.data(), kHeadBytes}) : file.error();
    if (!size) return {};
    bytes.truncate(static_cast<qsizetype>(*size));
    if (bytes.contains('\0')) return {};
    QStringList lines = QString::fromUtf8(bytes).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    if (file->bytes() > kHeadBytes && lines.size() > 1) lines.removeLast();
    lines.erase(std::remove_if(lines.begin(), lines.end(),
                               [](const QString& line) { return line.startsWith(QStringLiteral("# ")); }),
                lines.end());
    return lines;
}

/// A header with a step column, or nothing but numbers below it.
bool isLogTable(const QStringList& lines) {
    static const QRegularExpression counter(QStringLiteral("^\"?(global_)?(step|iteration|epoch)\"?\\s*$"),
                                            QRegularExpression::CaseInsensitiveOption);
    const auto isCounter = [](const QString& cell) { return counter.match(cell).hasMatch(); };
    const auto isNumber = [](const QString& cell) {
        bool good = false;
        cell.toDouble(&good);
        return good || cell.trimmed().isEmpty();
    };
    const auto ofNumbers = [&](const QString& line) {
        const QStringList cells = line.split(QLatin1Char('\t'));
        return std::all_of(cells.begin(), cells.end(), isNumber);
    };
    const QStringList header = lines.value(0).split(QLatin1Char('\t'));
    return std::any_of(header.begin(), header.end(), isCounter) ||
           (lines.size() > 1 && std::all_of(lines.begin() + 1, lines.end(), ofNumbers));
}

ImportWish::Split& splitOf(const QString& file, ImportWish& wish) {
    const QString name = QFileInfo(file).fileName().toLower();
    static const QRegularExpression valid(QStringLiteral("(^|[^a-z])(valid(ation)?|val|dev)([^a-z]|$)")),
        test(QStringLiteral("(^|[^a-z])test([^a-z]|$)"));
    if (valid.match(name).hasMatch()) return wish.valid;
    return test.match(name).hasMatch() ? wish.test : wish.train;
}

/// "news.train.en" is "news", "train.tsv" the name of its folder.
QString nameFor(const QString& file) {
    static const QRegularExpression train(QStringLiteral("[._-]?train(ing)?([^a-zA-Z].*)?$")),
        other(QStringLiteral("[^A-Za-z0-9_-]+"));
    const QFileInfo info(file);
    QString name = info.completeBaseName().remove(train);
    if (name.isEmpty()) name = info.dir().dirName();
    name.replace(other, QStringLiteral("-"));
    return name.isEmpty() ? QStringLiteral("corpus") : name;
}

void addSplit(QStringList& words, const QString& name, const ImportWish::Split& split) {
    if (split.source.isEmpty()) {
        if (split.cut > 0) words << QStringLiteral("--%1-pairs").arg(name) << QString::number(split.cut);
        return;
    }
    words << QStringLiteral("--") + name << split.source;
    if (!split.target.isEmpty()) words << QStringLiteral("--%1-target").arg(name) << split.target;
}

}  // namespace

QStringList ImportWish::importWords() const {
    QStringList words{QStringLiteral("data"), QStringLiteral("import"), name};
    addSplit(words, QStringLiteral("train"), train);
    addSplit(words, QStringLiteral("valid"), valid);
    addSplit(words, QStringLiteral("test"), test);
    if (sameLanguage) words << QStringLiteral("--same-language");
    if (replace) words << QStringLiteral("--force");
    return words;
}

QStringList ImportWish::checkWords() const {
    return importWords() << QStringLiteral("--check") << QStringLiteral("--tokenizer-kind") << tokenizer
                         << QStringLiteral("--vocabulary") << QString::number(vocabulary)
                         << QStringLiteral("--max-length") << QString::number(maxLength);
}

QMap<QString, QString> ImportWish::tokenizerSettings() const {
    return {{QStringLiteral("data.tokenizer.kind"), tokenizer},
            {QStringLiteral("data.tokenizer.vocabulary"), QString::number(vocabulary)},
            {QStringLiteral("data.max_length"), QString::number(maxLength)}};
}

QStringList ImportWish::files() const {
    return {train.source, train.target, valid.source, valid.target, test.source, test.target};
}

ImportWish wishFor(const QStringList& files) {
    ImportWish wish;
    for (const QString& file : files) {
        if (file.isEmpty()) continue;
        ImportWish::Split& split = splitOf(file, wish);
        if (split.source.isEmpty())
            split.source = file;
        else if (split.target.isEmpty() && !isTsv(split.source) && !isTsv(file))
            split.target = file;
        else if (wish.valid.source.isEmpty())  // the second of two TSVs whose names do not tell
            wish.valid.source = file;
    }
    if (wish.train.source.isEmpty()) std::swap(wish.train, wish.valid);
    if (wish.train.source.isEmpty()) std::swap(wish.train, wish.test);
    if (wish.train.source.isEmpty()) return wish;
    wish.name = nameFor(wish.train.source);
    const qint64 pairs = QFileInfo(wish.train.source).size() / kBytesPerPair;
    const int cut = static_cast<int>(std::clamp<qint64>(pairs / 10, 1, kUsualCut));
    wish.valid.cut = wish.test.cut = cut;
    return wish;
}

bool isPairText(const QStringList& files) {
    static const QRegularExpression otherKinds(
        QStringLiteral("tfevents|\\.(csv|jsonl|ndjson|json|toml|db|html|png|svg|pdf|zip|gz)$"),
        QRegularExpression::CaseInsensitiveOption);
    if (files.isEmpty()) return false;
    bool anyTsv = false;
    for (const QString& file : files) {
        if (otherKinds.match(QFileInfo(file).fileName()).hasMatch() || !QFileInfo(file).isFile())
            return false;
        const QStringList head = headOf(file);
        if (head.isEmpty() || (isTsv(file) && isLogTable(head))) return false;
        anyTsv |= isTsv(file);
    }
    return anyTsv || files.size() >= 2;
}

}  // namespace kurve::views
