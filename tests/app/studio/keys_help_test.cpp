// The guide's page of keys names every key that there is, and none that there is not. The page is read as it
// stands: a table for each part of the program, in its first column keys between backticks (`Shift+F`),
// several beside each other; what stands outside backticks there (wheel, drag) is the mouse's.
#include <gtest/gtest.h>

#include <QRegularExpression>
#include <QTableView>
#include <map>
#include <set>

#include "core/base/file.h"
#include "tests/app/studio/window_fixture.h"
#include "views/common/form/setting_chip.h"
#include "views/common/shell/view_keys.h"

namespace kurve::studio {
namespace {

constexpr const char* kPage = "assets/help/keys.md";

/// A table of the page by its heading, and whose keys it names: commands by the beginning of their ids, parts
/// of views by what F1 calls them.
struct Section {
    const char* heading;
    QStringList commands, parts;
};

const std::vector<Section>& sections() {
    static const std::vector<Section> all{
#include "tests/app/studio/keys_help_sections.inc"
    };
    return all;
}

using Keys = std::map<QString, QString>;  ///< key, as QKeySequence writes it: what it does

QString keyText(const QKeySequence& key) {
    return key.toString(QKeySequence::PortableText);
}

/// The section that a command or a part of a view belongs to; of several commands' beginnings the longest.
const Section* sectionOf(const QString& id, bool isPart) {
    const Section* best = nullptr;
    qsizetype length = -1;
    for (const Section& section : sections())
        for (const QString& one : isPart ? section.parts : section.commands) {
            const bool fits = isPart ? id == one : id.startsWith(one);
            if (!fits || one.size() <= length) continue;
            best = &section;
            length = one.size();
        }
    return best;
}

/// The keys of the program by section; what has no section is a failure.
std::map<QString, Keys> programKeys(MainWindow& window) {
    std::map<QString, Keys> found;
    const auto add = [&](const QString& owner, bool isPart, const QList<QKeySequence>& keys,
                         const QString& meaning) {
        const Section* section = sectionOf(owner, isPart);
        if (keys.isEmpty()) return;
        if (section == nullptr)
            ADD_FAILURE() << "no table of " << kPage << " is for the "
                          << (isPart ? "part of a view “" : "command “") << owner.toStdString()
                          << "”: write one there, and name it in tests/app/studio/keys_help_sections.inc";
        else
            for (const QKeySequence& key : keys) found[section->heading][keyText(key)] = meaning;
    };
    for (const auto& entry : window.commands().entries())
        add(entry.command.id, false, entry.command.allKeys(), entry.command.title);
    for (const auto* keys : window.findChildren<views::ViewKeys*>())
        for (const auto& key : keys->keys()) add(keys->title(), true, key.allKeys(), key.meaning);
    return found;
}

QKeySequence keyNamed(QString text) {
    const std::pair<const char*, const char*> signs[] = {{"←", "Left"}, {"→", "Right"}, {"↑", "Up"},
                                                         {"↓", "Down"}, {"−", "-"},     {"Enter", "Return"}};
    for (const auto& [sign, name] : signs) text.replace(QString::fromUtf8(sign), QLatin1String(name));
    return QKeySequence(text, QKeySequence::PortableText);
}

/// The keys of the page by section.
std::map<QString, std::set<QString>> pageKeys(const QString& page) {
    std::map<QString, std::set<QString>> found;
    static const QRegularExpression key(QStringLiteral("`([^`]+)`"));
    QString heading;
    QStringList before;
    for (const QString& line : page.split(QLatin1Char('\n'))) {
        const QString cell = line.section(QLatin1Char('|'), 1, 1).trimmed();
        if (line.startsWith(QLatin1String("|---"))) heading = before.value(0);
        before = {cell};
        if (!line.startsWith(QLatin1Char('|'))) heading.clear();
        if (heading.isEmpty()) continue;
        for (auto match = key.globalMatch(cell); match.hasNext();) {
            const QString name = match.next().captured(1);
            const QKeySequence named = keyNamed(name);
            EXPECT_EQ(named.count(), 1) << "no key: " << name.toStdString();
            found[heading].insert(keyText(named));
        }
    }
    return found;
}

/// What the page need not name, or may name though it is not there: Enter beside Return, which are one key to
/// a reader, and keys that the desktop chooses (QKeySequence::Quit, Redo).
bool isFree(const QString& key) {
    static const std::set<QString> desktop{QStringLiteral("Ctrl+Q"), QStringLiteral("Ctrl+Y"),
                                           QStringLiteral("Ctrl+Shift+Z")};
    return key.section(QLatin1Char('+'), -1) == QLatin1String("Enter") || desktop.count(key) > 0;
}

TEST_F(WindowTest, TheGuidesPageOfKeysNamesAllKeysAndNoOthers) {
    const auto app = open();
    MainWindow& window = *app->window();
    for (int i = 0; i < kWorkspaces; ++i) window.makePanels(static_cast<WorkspaceId>(i));
    views::SettingChip chip(QStringLiteral("test"), QStringLiteral("sampler.x"), std::nullopt, {});
    chip.setParent(&window);
    std::map<QString, QStringList> meanings;
    for (const auto* keys : window.findChildren<views::ViewKeys*>()) {
        QStringList own;
        for (const auto& key : keys->keys()) own << key.meaning;
        EXPECT_EQ(meanings.try_emplace(keys->title(), own).first->second, own)
            << "F1 lists one of the parts that are called " << keys->title().toStdString();
    }
    const auto text = readFile(std::string(KURVE_SOURCE_DIR) + "/" + kPage);
    ASSERT_TRUE(text);
    const auto page = pageKeys(QString::fromStdString(*text));
    const auto program = programKeys(window);
    for (const Section& section : sections()) {
        const auto there = program.find(section.heading);
        const auto named = page.find(section.heading);
        const Keys have = there == program.end() ? Keys() : there->second;
        const std::set<QString> listed = named == page.end() ? std::set<QString>() : named->second;
        for (const auto& [key, meaning] : have)
            if (listed.count(key) == 0 && !isFree(key))
                ADD_FAILURE() << kPage << ", table “" << section.heading
                              << "”, lacks a key. Write there:\n| `" << key.toStdString() << "` | "
                              << meaning.toStdString() << " |";
        for (const QString& key : listed)
            if (have.count(key) == 0 && !isFree(key))
                ADD_FAILURE() << kPage << ", table “" << section.heading << "”, names `" << key.toStdString()
                              << "`, which nothing there has: take it out, or correct it";
    }
    for (const auto& [heading, keys] : page)
        EXPECT_TRUE(std::any_of(sections().begin(), sections().end(),
                                [&, name = heading](const Section& one) { return name == one.heading; }))
            << "the table “" << heading.toStdString()
            << "” is in no line of tests/app/studio/keys_help_sections.inc: say there whose keys it names";
}

}  // namespace
}  // namespace kurve::studio
