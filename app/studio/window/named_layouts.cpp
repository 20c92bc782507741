#include "app/studio/window/named_layouts.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <algorithm>

#include "core/base/file.h"

namespace kurve::studio {

namespace {

namespace fs = std::filesystem;

constexpr int kLongestName = 80;
const char* const kKind = "kurve-layout";

/// session.json and session.previous.json of the same folder, which are no layouts.
bool isSession(const fs::path& file) {
    return file.filename() == "session.json" || file.filename() == "session.previous.json";
}

QString say(const char* text) {
    return QCoreApplication::translate("layouts", text);
}

NamedLayout readLayout(const fs::path& file) {
    NamedLayout layout;
    layout.file = file;
    layout.name = QString::fromStdString(file.stem().string());
    const auto text = readFile(file);
    if (!text) {
        layout.problem = QString::fromStdString(text.error().text());
        return layout;
    }
    const QJsonObject document = QJsonDocument::fromJson(QByteArray::fromStdString(*text)).object();
    if (document.value(QStringLiteral("kind")).toString() != QLatin1String(kKind)) {
        layout.problem = say("not a Kurve layout, or damaged");
        return layout;
    }
    if (const QString name = document.value(QStringLiteral("name")).toString(); !name.isEmpty())
        layout.name = name;
    layout.arrangement = document.value(QStringLiteral("arrangement")).toObject();
    return layout;
}

Status writeLayout(const fs::path& file, const QString& name, const QJsonObject& arrangement) {
    const QJsonObject document{{QStringLiteral("kind"), QLatin1String(kKind)},
                               {QStringLiteral("name"), name},
                               {QStringLiteral("arrangement"), arrangement}};
    return writeFileAtomically(file, QJsonDocument(document).toJson().toStdString());
}

Status checkName(const QString& name) {
    if (!name.trimmed().isEmpty() && name.size() <= kLongestName) return {};
    return requestError("layout.name", "a layout name needs 1 to 80 characters");
}

}  // namespace

std::vector<NamedLayout> NamedLayouts::list() const {
    std::vector<NamedLayout> all;
    std::error_code failed;
    for (fs::directory_iterator it(folder_, failed), end; !failed && it != end; it.increment(failed))
        if (it->path().extension() == ".json" && !isSession(it->path()))
            all.push_back(readLayout(it->path()));
    std::sort(all.begin(), all.end(), [](const NamedLayout& a, const NamedLayout& b) {
        return QString::localeAwareCompare(a.name, b.name) < 0;
    });
    return all;
}

Status NamedLayouts::save(const QString& name, const QJsonObject& arrangement) const {
    KURVE_CHECKED(checkName(name));
    std::error_code ignored;
    fs::create_directories(folder_, ignored);  // the write reports a failure
    for (const NamedLayout& layout : list())
        if (layout.name == name) return writeLayout(layout.file, name, arrangement);
    return writeLayout(freeFile(name), name, arrangement);
}

Status NamedLayouts::rename(const NamedLayout& layout, const QString& name) const {
    KURVE_CHECKED(checkName(name));
    for (const NamedLayout& other : list())
        if (other.name == name && other.file != layout.file)
            return requestError("layout.exists", "layout \"" + name.toStdString() + "\" already exists")
                .fix("choose another name, or delete the other layout");
    // The file keeps its name: commits and links stay valid.
    return writeLayout(layout.file, name, layout.arrangement);
}

Status NamedLayouts::remove(const NamedLayout& layout) const {
    std::error_code failed;
    fs::remove(layout.file, failed);
    if (!failed) return {};
    return workError("io.write", "the layout cannot be deleted: " + failed.message())
        .in(layout.file.string());
}

fs::path NamedLayouts::freeFile(const QString& name) const {
    std::string stem;
    for (const QChar letter : name.toLower())
        stem += letter.unicode() < 128 && letter.isLetterOrNumber() ? letter.toLatin1() : '-';
    std::error_code ignored;
    fs::path file = folder_ / (stem + ".json");
    for (int number = 2; isSession(file) || fs::exists(file, ignored); ++number)
        file = folder_ / (stem + "-" + std::to_string(number) + ".json");
    return file;
}

}  // namespace kurve::studio
