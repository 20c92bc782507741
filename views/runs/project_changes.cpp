#include "views/runs/project_changes.h"

#include <QFontDatabase>
#include <QKeyEvent>
#include <QSyntaxHighlighter>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/store/project_revision.h"
#include "core/wire/fields.h"
#include "views/common/form/controls.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {
namespace {

using nlohmann::json;

class DiffColours : public QSyntaxHighlighter {
public:
    using QSyntaxHighlighter::QSyntaxHighlighter;

protected:
    void highlightBlock(const QString& line) override {
        const auto paint = [&](const QColor& colour) { setFormat(0, static_cast<int>(line.size()), colour); };
        if (line.startsWith(QLatin1String("diff ")) || line.startsWith(QLatin1String("@@")))
            paint(theme().muted);
        else if (line.startsWith(QLatin1Char('+')))
            paint(theme().good);
        else if (line.startsWith(QLatin1Char('-')))
            paint(theme().bad);
    }
};

}  // namespace

ProjectChanges::ProjectChanges(QWidget* parent) : QPlainTextEdit(parent) {
    setWindowFlag(Qt::Window);  // a diff is wider than the column that links to it
    resize(px(900), px(600));
    setReadOnly(true);
    describe(this, "inspector.changes", tr("Changes of the project against its commit"),
             {.selectable = true});
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    auto* colours = new DiffColours(document());
    onThemeChange(colours, &QSyntaxHighlighter::rehighlight);
}

void ProjectChanges::setRun(const std::filesystem::path& runFolder, const std::string& revision) {
    const bool same = runFolder == folder_ && revision == revision_;
    folder_ = runFolder;
    revision_ = revision;
    if (!same) loaded_ = false;
    if (!loaded_ && isVisible()) load();
}

void ProjectChanges::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape)
        close();
    else
        QPlainTextEdit::keyPressEvent(event);
}

void ProjectChanges::showEvent(QShowEvent* event) {
    if (!loaded_) load();
    QPlainTextEdit::showEvent(event);
}

void ProjectChanges::load() {
    loaded_ = true;
    const json document = json::parse(revision_, nullptr, false);
    const wire::Fields facts(document);
    QString text;
    if (!facts.list("untracked").empty()) {
        text = tr("Untracked files:") + QLatin1Char('\n');
        for (const std::string& file : facts.texts("untracked"))
            text += QStringLiteral("  %1\n").arg(QString::fromStdString(file));
        text += QLatin1Char('\n');
    }
    if (!facts.list("changed").empty()) {
        const auto diff = readFile(folder_ / store::kProjectDiffFile, kResultBytes);
        text += diff ? QString::fromStdString(*diff) : QString::fromStdString(diff.error().text());
        if (diff && !facts.flag("complete", true)) text += tr("\n… truncated\n");
    }
    setPlainText(text);
}

QString projectRevisionText(const std::string& revision) {
    const json document = json::parse(revision, nullptr, false);
    const wire::Fields facts(document);
    const std::string commit = facts.text("commit"), branch = facts.text("branch");
    if (commit.empty()) return {};
    QString text =
        ProjectChanges::tr("commit %1").arg(QString::fromStdString(commit).left(8).toHtmlEscaped());
    if (!branch.empty())
        text += ProjectChanges::tr(" on %1").arg(QString::fromStdString(branch).toHtmlEscaped());
    const auto changes = static_cast<int>(facts.list("changed").size() + facts.list("untracked").size());
    if (changes == 0) return text + ProjectChanges::tr(", nothing changed");
    return text +
           QStringLiteral(", <a style=\"color:%1\" href=\"%2\">⚠ %3</a>")
               .arg(theme().accent.name(), QLatin1String(kProjectChangesLink),
                    ProjectChanges::tr("%1 changed").arg(countedText(changes, ProjectChanges::tr("file"))));
}

}  // namespace kurve::views
