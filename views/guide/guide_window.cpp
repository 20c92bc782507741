#include "views/guide/guide_window.h"

#include <QFileInfo>
#include <QPixmap>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>
#include <QToolButton>
#include <algorithm>
#include <vector>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme_listener.h"

// Q_INIT_RESOURCE declares a symbol: it must stand outside every namespace.
static void initGuide() {
    Q_INIT_RESOURCE(guide);
}

namespace kurve::views {

namespace {

QToolButton* button(const QString& text, const QString& name, const QString& tip) {
    return describe(new QToolButton, name, tip, tip, {.text = text});
}

/// Markdown has no spacing: sets margins of headings and paragraphs, and the line height.
void spaceBlocks(QTextDocument& page) {
    for (QTextBlock block = page.begin(); block.isValid(); block = block.next()) {
        QTextCursor cursor(block);
        QTextBlockFormat format = block.blockFormat();
        const bool inTable = cursor.currentTable() != nullptr;
        format.setTopMargin(format.headingLevel() > 1 ? px(space::kLarge) : 0);
        format.setBottomMargin(inTable || block.textList() ? px(2) : px(space::kSmall));
        if (!inTable) format.setLineHeight(118, QTextBlockFormat::ProportionalHeight);
        cursor.setBlockFormat(format);
    }
}

void drawTables(QTextDocument& page) {
    for (QTextFrame* frame : page.rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (!table) continue;
        QTextTableFormat format = table->format();
        format.setBorder(1);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBorderBrush(theme().border);
        format.setBorderCollapse(true);
        format.setCellSpacing(0);
        format.setCellPadding(px(5));
        format.setBottomMargin(px(space::kMedium));
        table->setFormat(format);
    }
}

/// Pictures at the scale of the interface, but never wider than the page.
void fitPictures(QTextDocument& page, double widest) {
    struct Image {
        int position;
        QTextImageFormat format;
    };
    std::vector<Image> images;
    for (QTextBlock block = page.begin(); block.isValid(); block = block.next())
        for (auto it = block.begin(); !it.atEnd(); ++it)
            if (it.fragment().charFormat().isImageFormat())
                images.push_back({it.fragment().position(), it.fragment().charFormat().toImageFormat()});
    for (auto& [position, format] : images) {
        const QUrl source = page.baseUrl().resolved(QUrl(format.name()));
        const QPixmap picture(QStringLiteral(":") + source.path());
        if (picture.isNull()) continue;
        format.setWidth(std::min(widest, picture.width() * theme().scale));
        format.setHeight(format.width() * picture.height() / picture.width());
        QTextCursor cursor(&page);
        cursor.setPosition(position);
        cursor.setPosition(position + 1, QTextCursor::KeepAnchor);
        cursor.setCharFormat(format);
    }
}

}  // namespace

GuideWindow::GuideWindow(QWidget* parent) : QWidget(parent, Qt::Window), browser_(new QTextBrowser) {
    initGuide();
    setObjectName(QStringLiteral("guide"));
    setWindowTitle(QStringLiteral("Kurve: user guide"));
    describe(browser_, "guide.page", QStringLiteral("Page of the user guide"));
    browser_->setOpenExternalLinks(false);
    auto* back = button(QStringLiteral("←"), QStringLiteral("guide.back"), QStringLiteral("Back (Alt+Left)"));
    auto* contents =
        button(QStringLiteral("Contents"), QStringLiteral("guide.contents"), QStringLiteral("First page"));
    back->setEnabled(false);
    connect(back, &QToolButton::clicked, browser_, &QTextBrowser::backward);
    connect(browser_, &QTextBrowser::backwardAvailable, back, &QWidget::setEnabled);
    connect(contents, &QToolButton::clicked, this, [this] { open(QStringLiteral("index")); });
    auto* bar = hbox({back, contents, Stretch{1}});
    vboxIn(this, {bar, {browser_, 1}}, {.margins = space::kSmall, .spacing = space::kSmall});
    connect(browser_, &QTextBrowser::sourceChanged, this, &GuideWindow::layOut);
    onThemeChange(this, &GuideWindow::restyle);
    resize(px(820), px(760));
    restyle();
    open(QStringLiteral("index"));
}

void GuideWindow::restyle() {
    QPalette colors = browser_->palette();
    colors.setColor(QPalette::Link, theme().accent);
    browser_->setPalette(colors);
    browser_->document()->setDocumentMargin(px(space::kLarge));
    browser_->reload();
    layOut();
}

void GuideWindow::layOut() {
    spaceBlocks(*browser_->document());
    drawTables(*browser_->document());
    fitPictures(*browser_->document(), browser_->viewport()->width() - 2 * px(space::kLarge));
    browser_->moveCursor(QTextCursor::Start);
}

void GuideWindow::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitPictures(*browser_->document(), browser_->viewport()->width() - 2 * px(space::kLarge));
}

void GuideWindow::open(const QString& page) {
    browser_->setSource(QUrl(QStringLiteral("qrc:/help/%1.md").arg(page)), QTextDocument::MarkdownResource);
}

QString GuideWindow::page() const {
    return QFileInfo(browser_->source().path()).completeBaseName();
}

}  // namespace kurve::views
