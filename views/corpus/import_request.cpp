#include "views/corpus/import_request.h"

#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <algorithm>

#include "core/base/file.h"

namespace kurve::views {

namespace {

constexpr std::size_t kHeadBytes = 4096;
constexpr qint64 kBytesPerPair = 80;  // a guess at short sentences, for the default hold-out only
constexpr int kDefaultHoldOut = 200;

bool isTsv(const QString& file) {
    return file.endsWith(QStringLiteral(".tsv"), Qt::CaseInsensitive);
}

bool isJsonLines(const QString& file) {
    return file.endsWith(QStringLiteral(".jsonl"), Qt::CaseInsensitive);
}

/// Complete lines at the head of a file without notices; none if it is not text.
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

/// {"src": …, "trg": …}: a log has other members.
bool isJsonPair(const QString& line) {
    return line.contains(QStringLiteral("\"src\"")) && line.contains(QStringLiteral("\"trg\""));
}

ImportRequest::Split& splitOf(const QString& file, ImportRequest& request) {
    const QString name = QFileInfo(file).fileName().toLower();
    static const QRegularExpression valid(QStringLiteral("(^|[^a-z])(valid(ation)?|val|dev)([^a-z]|$)")),
        test(QStringLiteral("(^|[^a-z])test([^a-z]|$)"));
    if (valid.match(name).hasMatch()) return request.valid;
    return test.match(name).hasMatch() ? request.test : request.train;
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

void addSplit(QStringList& words, const QString& name, const ImportRequest::Split& split, bool pairs) {
    if (split.source.isEmpty()) {
        if (split.holdOut > 0)
            words << QStringLiteral("--%1-pairs").arg(name) << QString::number(split.holdOut);
        return;
    }
    words << QStringLiteral("--") + name << split.source;
    if (pairs && !split.target.isEmpty()) words << QStringLiteral("--%1-target").arg(name) << split.target;
}

}  // namespace

QStringList ImportRequest::importWords() const {
    QStringList words{QStringLiteral("data"), QStringLiteral("import"), name};
    const bool pairs = kind == QStringLiteral("pairs");
    if (!pairs) words << QStringLiteral("--kind") << kind;
    if (sentences) words << QStringLiteral("--sentences");
    addSplit(words, QStringLiteral("train"), train, pairs);
    addSplit(words, QStringLiteral("valid"), valid, pairs);
    addSplit(words, QStringLiteral("test"), test, pairs);
    if (pairs && sameLanguage) words << QStringLiteral("--same-language");
    if (replace) words << QStringLiteral("--force");
    return words;
}

QStringList ImportRequest::checkWords() const {
    return importWords() << QStringLiteral("--check") << QStringLiteral("--tokenizer-kind") << tokenizer
                         << QStringLiteral("--vocabulary") << QString::number(vocabulary)
                         << QStringLiteral("--max-length") << QString::number(maxLength);
}

QMap<QString, QString> ImportRequest::tokenizerSettings() const {
    return {{QStringLiteral("data.tokenizer.kind"), tokenizer},
            {QStringLiteral("data.tokenizer.vocabulary"), QString::number(vocabulary)},
            {QStringLiteral("data.max_length"), QString::number(maxLength)}};
}

QStringList ImportRequest::files() const {
    return {train.source, train.target, valid.source, valid.target, test.source, test.target};
}

ImportRequest requestFor(const QStringList& files) {
    ImportRequest request;
    for (const QString& file : files) {
        if (file.isEmpty()) continue;
        ImportRequest::Split& split = splitOf(file, request);
        if (split.source.isEmpty())
            split.source = file;
        else if (split.target.isEmpty() && !hasBothSides(split.source) && !hasBothSides(file))
            split.target = file;
        else if (request.valid.source.isEmpty())  // the second of two TSVs with other names
            request.valid.source = file;
    }
    if (request.train.source.isEmpty()) std::swap(request.train, request.valid);
    if (request.train.source.isEmpty()) std::swap(request.train, request.test);
    if (request.train.source.isEmpty()) return request;
    request.name = nameFor(request.train.source);
    if (!hasBothSides(request.train.source) && request.train.target.isEmpty())
        request.kind = QStringLiteral("text");
    const qint64 pairs = QFileInfo(request.train.source).size() / kBytesPerPair;
    const int holdOut = static_cast<int>(std::clamp<qint64>(pairs / 10, 1, kDefaultHoldOut));
    request.valid.holdOut = request.test.holdOut = holdOut;
    return request;
}

bool hasBothSides(const QString& file) {
    return isTsv(file) || isJsonLines(file);
}

bool isPairText(const QStringList& files) {
    static const QRegularExpression otherKinds(
        QStringLiteral("tfevents|\\.(csv|ndjson|json|toml|db|html|png|svg|pdf|zip|gz)$"),
        QRegularExpression::CaseInsensitiveOption);
    if (files.isEmpty()) return false;
    bool anyWhole = false;
    for (const QString& file : files) {
        if (otherKinds.match(QFileInfo(file).fileName()).hasMatch() || !QFileInfo(file).isFile())
            return false;
        const QStringList head = headOf(file);
        if (head.isEmpty() || (isTsv(file) && isLogTable(head))) return false;
        if (isJsonLines(file) && !isJsonPair(head.front())) return false;
        anyWhole |= hasBothSides(file);
    }
    return anyWhole || files.size() >= 2;
}

}  // namespace kurve::views
