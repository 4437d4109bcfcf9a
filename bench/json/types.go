package json

// Types of the documents, made by looking at what these have: an object that can be missing is
// behind a pointer, and what has several types is an any.

// geometry is canada_geometry.json: the border of Canada, in numbers.
type geometry struct {
	Type     string `json:"type"`
	Features []struct {
		Type       string `json:"type"`
		Properties struct {
			Name string `json:"name"`
		} `json:"properties"`
		Geometry struct {
			Type        string         `json:"type"`
			Coordinates [][][2]float64 `json:"coordinates"`
		} `json:"geometry"`
	} `json:"features"`
}

// sources is golang_source.json: a tree of files.
type (
	sources struct {
		Tree     *file  `json:"tree"`
		Username string `json:"username"`
	}
	file struct {
		Name    string  `json:"name"`
		Kids    []file  `json:"kids"`
		Weight  float64 `json:"cl_weight"`
		Touches int     `json:"touches"`
		MinT    uint64  `json:"min_t"`
		MaxT    uint64  `json:"max_t"`
		MeanT   uint64  `json:"mean_t"`
	}
)

// tweets is twitter_status.json: an answer of a search.
type tweets struct {
	SearchMetadata struct {
		CompletedIn float64 `json:"completed_in"`
		Count       int64   `json:"count"`
		MaxID       int64   `json:"max_id"`
		MaxIDStr    string  `json:"max_id_str"`
		NextResults string  `json:"next_results"`
		Query       string  `json:"query"`
		RefreshURL  string  `json:"refresh_url"`
		SinceID     int64   `json:"since_id"`
		SinceIDStr  string  `json:"since_id_str"`
	} `json:"search_metadata"`
	Statuses []struct {
		Contributors         any           `json:"contributors"`
		Coordinates          any           `json:"coordinates"`
		CreatedAt            string        `json:"created_at"`
		Entities             tweetEntities `json:"entities"`
		FavoriteCount        int64         `json:"favorite_count"`
		Favorited            bool          `json:"favorited"`
		Geo                  any           `json:"geo"`
		ID                   int64         `json:"id"`
		IDStr                string        `json:"id_str"`
		InReplyToScreenName  string        `json:"in_reply_to_screen_name"`
		InReplyToStatusID    int64         `json:"in_reply_to_status_id"`
		InReplyToStatusIDStr string        `json:"in_reply_to_status_id_str"`
		InReplyToUserID      int64         `json:"in_reply_to_user_id"`
		InReplyToUserIDStr   string        `json:"in_reply_to_user_id_str"`
		Lang                 string        `json:"lang"`
		Metadata             tweetMetadata `json:"metadata"`
		Place                any           `json:"place"`
		PossiblySensitive    bool          `json:"possibly_sensitive"`
		RetweetCount         int64         `json:"retweet_count"`
		Retweeted            bool          `json:"retweeted"`
		RetweetedStatus      *struct {
			Contributors         any           `json:"contributors"`
			Coordinates          any           `json:"coordinates"`
			CreatedAt            string        `json:"created_at"`
			Entities             tweetEntities `json:"entities"`
			FavoriteCount        int64         `json:"favorite_count"`
			Favorited            bool          `json:"favorited"`
			Geo                  any           `json:"geo"`
			ID                   int64         `json:"id"`
			IDStr                string        `json:"id_str"`
			InReplyToScreenName  string        `json:"in_reply_to_screen_name"`
			InReplyToStatusID    int64         `json:"in_reply_to_status_id"`
			InReplyToStatusIDStr string        `json:"in_reply_to_status_id_str"`
			InReplyToUserID      int64         `json:"in_reply_to_user_id"`
			InReplyToUserIDStr   string        `json:"in_reply_to_user_id_str"`
			Lang                 string        `json:"lang"`
			Metadata             tweetMetadata `json:"metadata"`
			Place                any           `json:"place"`
			PossiblySensitive    bool          `json:"possibly_sensitive"`
			RetweetCount         int64         `json:"retweet_count"`
			Retweeted            bool          `json:"retweeted"`
			Source               string        `json:"source"`
			Text                 string        `json:"text"`
			Truncated            bool          `json:"truncated"`
			User                 tweetUser     `json:"user"`
		} `json:"retweeted_status"`
		Source    string    `json:"source"`
		Text      string    `json:"text"`
		Truncated bool      `json:"truncated"`
		User      tweetUser `json:"user"`
	} `json:"statuses"`
}

type tweetMetadata struct {
	IsoLanguageCode string `json:"iso_language_code"`
	ResultType      string `json:"result_type"`
}

type tweetURL struct {
	DisplayURL  string  `json:"display_url"`
	ExpandedURL string  `json:"expanded_url"`
	Indices     []int64 `json:"indices"`
	URL         string  `json:"url"`
}

type tweetURLs struct {
	URLs []tweetURL `json:"urls"`
}

type userEntities struct {
	Description tweetURLs  `json:"description"`
	URL         *tweetURLs `json:"url"`
}

type tweetUser struct {
	ContributorsEnabled            bool         `json:"contributors_enabled"`
	CreatedAt                      string       `json:"created_at"`
	DefaultProfile                 bool         `json:"default_profile"`
	DefaultProfileImage            bool         `json:"default_profile_image"`
	Description                    string       `json:"description"`
	Entities                       userEntities `json:"entities"`
	FavouritesCount                int64        `json:"favourites_count"`
	FollowRequestSent              bool         `json:"follow_request_sent"`
	FollowersCount                 int64        `json:"followers_count"`
	Following                      bool         `json:"following"`
	FriendsCount                   int64        `json:"friends_count"`
	GeoEnabled                     bool         `json:"geo_enabled"`
	ID                             int64        `json:"id"`
	IDStr                          string       `json:"id_str"`
	IsTranslationEnabled           bool         `json:"is_translation_enabled"`
	IsTranslator                   bool         `json:"is_translator"`
	Lang                           string       `json:"lang"`
	ListedCount                    int64        `json:"listed_count"`
	Location                       string       `json:"location"`
	Name                           string       `json:"name"`
	Notifications                  bool         `json:"notifications"`
	ProfileBackgroundColor         string       `json:"profile_background_color"`
	ProfileBackgroundImageURL      string       `json:"profile_background_image_url"`
	ProfileBackgroundImageURLHTTPS string       `json:"profile_background_image_url_https"`
	ProfileBackgroundTile          bool         `json:"profile_background_tile"`
	ProfileBannerURL               string       `json:"profile_banner_url"`
	ProfileImageURL                string       `json:"profile_image_url"`
	ProfileImageURLHTTPS           string       `json:"profile_image_url_https"`
	ProfileLinkColor               string       `json:"profile_link_color"`
	ProfileSidebarBorderColor      string       `json:"profile_sidebar_border_color"`
	ProfileSidebarFillColor        string       `json:"profile_sidebar_fill_color"`
	ProfileTextColor               string       `json:"profile_text_color"`
	ProfileUseBackgroundImage      bool         `json:"profile_use_background_image"`
	Protected                      bool         `json:"protected"`
	ScreenName                     string       `json:"screen_name"`
	StatusesCount                  int64        `json:"statuses_count"`
	TimeZone                       string       `json:"time_zone"`
	URL                            string       `json:"url"`
	UtcOffset                      int64        `json:"utc_offset"`
	Verified                       bool         `json:"verified"`
}

type tweetHashtag struct {
	Indices []int64 `json:"indices"`
	Text    string  `json:"text"`
}

type tweetMention struct {
	ID         int64   `json:"id"`
	IDStr      string  `json:"id_str"`
	Indices    []int64 `json:"indices"`
	Name       string  `json:"name"`
	ScreenName string  `json:"screen_name"`
}

type tweetSize struct {
	H      int64  `json:"h"`
	Resize string `json:"resize"`
	W      int64  `json:"w"`
}

type tweetSizes struct {
	Large  tweetSize `json:"large"`
	Medium tweetSize `json:"medium"`
	Small  tweetSize `json:"small"`
	Thumb  tweetSize `json:"thumb"`
}

type tweetMedia struct {
	DisplayURL        string     `json:"display_url"`
	ExpandedURL       string     `json:"expanded_url"`
	ID                int64      `json:"id"`
	IDStr             string     `json:"id_str"`
	Indices           []int64    `json:"indices"`
	MediaURL          string     `json:"media_url"`
	MediaURLHTTPS     string     `json:"media_url_https"`
	Sizes             tweetSizes `json:"sizes"`
	SourceStatusID    int64      `json:"source_status_id"`
	SourceStatusIDStr string     `json:"source_status_id_str"`
	Type              string     `json:"type"`
	URL               string     `json:"url"`
}

type tweetEntities struct {
	Hashtags     []tweetHashtag `json:"hashtags"`
	Media        []tweetMedia   `json:"media"`
	Symbols      []any          `json:"symbols"`
	URLs         []tweetURL     `json:"urls"`
	UserMentions []tweetMention `json:"user_mentions"`
}

type event struct {
	Description any     `json:"description"`
	ID          int64   `json:"id"`
	Logo        string  `json:"logo"`
	Name        string  `json:"name"`
	SubTopicIDs []int64 `json:"subTopicIds"`
	SubjectCode any     `json:"subjectCode"`
	Subtitle    any     `json:"subtitle"`
	TopicIDs    []int64 `json:"topicIds"`
}

// catalog is citm_catalog.json: what a theatre sells.
type catalog struct {
	AreaNames                map[int64]string `json:"areaNames"`
	AudienceSubCategoryNames map[int64]string `json:"audienceSubCategoryNames"`
	BlockNames               map[int64]string `json:"blockNames"`
	Events                   map[int64]event  `json:"events"`
	Performances             []struct {
		EventID int64  `json:"eventId"`
		ID      int64  `json:"id"`
		Logo    string `json:"logo"`
		Name    any    `json:"name"`
		Prices  []struct {
			Amount                int64 `json:"amount"`
			AudienceSubCategoryID int64 `json:"audienceSubCategoryId"`
			SeatCategoryID        int64 `json:"seatCategoryId"`
		} `json:"prices"`
		SeatCategories []struct {
			Areas []struct {
				AreaID   int64 `json:"areaId"`
				BlockIDs []any `json:"blockIds"`
			} `json:"areas"`
			SeatCategoryID int64 `json:"seatCategoryId"`
		} `json:"seatCategories"`
		SeatMapImage any    `json:"seatMapImage"`
		Start        int64  `json:"start"`
		VenueCode    string `json:"venueCode"`
	} `json:"performances"`
	SeatCategoryNames map[int64]string  `json:"seatCategoryNames"`
	SubTopicNames     map[int64]string  `json:"subTopicNames"`
	SubjectNames      map[int64]string  `json:"subjectNames"`
	TopicNames        map[int64]string  `json:"topicNames"`
	TopicSubTopics    map[int64][]int64 `json:"topicSubTopics"`
	VenueNames        map[string]string `json:"venueNames"`
}

// texts is string_escaped.json, and string_unicode.json, which has the same without escapes.
type texts struct {
	Arabic                             string `json:"Arabic"`
	ArabicPresentationFormsA           string `json:"Arabic Presentation Forms-A"`
	ArabicPresentationFormsB           string `json:"Arabic Presentation Forms-B"`
	Armenian                           string `json:"Armenian"`
	Arrows                             string `json:"Arrows"`
	Bengali                            string `json:"Bengali"`
	Bopomofo                           string `json:"Bopomofo"`
	BoxDrawing                         string `json:"Box Drawing"`
	CJKCompatibility                   string `json:"CJK Compatibility"`
	CJKCompatibilityForms              string `json:"CJK Compatibility Forms"`
	CJKCompatibilityIdeographs         string `json:"CJK Compatibility Ideographs"`
	CJKSymbolsAndPunctuation           string `json:"CJK Symbols and Punctuation"`
	CJKUnifiedIdeographs               string `json:"CJK Unified Ideographs"`
	CJKUnifiedIdeographsExtensionA     string `json:"CJK Unified Ideographs Extension A"`
	CJKUnifiedIdeographsExtensionB     string `json:"CJK Unified Ideographs Extension B"`
	Cherokee                           string `json:"Cherokee"`
	CurrencySymbols                    string `json:"Currency Symbols"`
	Cyrillic                           string `json:"Cyrillic"`
	CyrillicSupplementary              string `json:"Cyrillic Supplementary"`
	Devanagari                         string `json:"Devanagari"`
	EnclosedAlphanumerics              string `json:"Enclosed Alphanumerics"`
	EnclosedCJKLettersAndMonths        string `json:"Enclosed CJK Letters and Months"`
	Ethiopic                           string `json:"Ethiopic"`
	GeometricShapes                    string `json:"Geometric Shapes"`
	Georgian                           string `json:"Georgian"`
	GreekAndCoptic                     string `json:"Greek and Coptic"`
	Gujarati                           string `json:"Gujarati"`
	Gurmukhi                           string `json:"Gurmukhi"`
	HangulCompatibilityJamo            string `json:"Hangul Compatibility Jamo"`
	HangulJamo                         string `json:"Hangul Jamo"`
	HangulSyllables                    string `json:"Hangul Syllables"`
	Hebrew                             string `json:"Hebrew"`
	Hiragana                           string `json:"Hiragana"`
	IPAExtentions                      string `json:"IPA Extentions"` //nolint:misspell // as the document has it
	KangxiRadicals                     string `json:"Kangxi Radicals"`
	Katakana                           string `json:"Katakana"`
	Khmer                              string `json:"Khmer"`
	KhmerSymbols                       string `json:"Khmer Symbols"`
	Latin                              string `json:"Latin"`
	LatinExtendedAdditional            string `json:"Latin Extended Additional"`
	Latin1Supplement                   string `json:"Latin-1 Supplement"`
	LatinExtendedA                     string `json:"Latin-Extended A"`
	LatinExtendedB                     string `json:"Latin-Extended B"`
	LetterlikeSymbols                  string `json:"Letterlike Symbols"`
	Malayalam                          string `json:"Malayalam"`
	MathematicalAlphanumericSymbols    string `json:"Mathematical Alphanumeric Symbols"`
	MathematicalOperators              string `json:"Mathematical Operators"`
	MiscellaneousSymbols               string `json:"Miscellaneous Symbols"`
	Mongolian                          string `json:"Mongolian"`
	NumberForms                        string `json:"Number Forms"`
	Oriya                              string `json:"Oriya"`
	PhoneticExtensions                 string `json:"Phonetic Extensions"`
	SupplementalArrowsB                string `json:"Supplemental Arrows-B"`
	Syriac                             string `json:"Syriac"`
	Tamil                              string `json:"Tamil"`
	Thaana                             string `json:"Thaana"`
	Thai                               string `json:"Thai"`
	UnifiedCanadianAboriginalSyllabics string `json:"Unified Canadian Aboriginal Syllabics"`
	YiRadicals                         string `json:"Yi Radicals"`
	YiSyllables                        string `json:"Yi Syllables"`
}
